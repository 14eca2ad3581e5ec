# Each key of the config with values of each wrong kind, and files that are no config, are answered.
# PERFEVO_HOSTILE_EVERY=1 tries all keys with all values; by default each 108th.
mkdir many
cd many
elsewhere_read_only python3 "$CASE_DIR/configs.py" "$(command -v perfevo)" . "$SOURCE_DIR/configs/perfevo.schema.json" --every "${PERFEVO_HOSTILE_EVERY:-108}"
