# Profiles that are damaged, or made to cost, are answered. PERFEVO_HOSTILE_EVERY=1 tries all; by default each twelfth.
mkdir many
cd many
elsewhere_read_only python3 "$CASE_DIR/profiles.py" "$(command -v perfevo)" . "$SOURCE_DIR/tests/profile/imports" --every "${PERFEVO_HOSTILE_EVERY:-12}"
