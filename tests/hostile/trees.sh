# Trees that no honest commit has are answered, write nowhere else, and keep no other commit from being measured.
# PERFEVO_HOSTILE_EVERY=1 tries each by itself; by default each fifth.
mkdir many
cd many
elsewhere_read_only python3 "$CASE_DIR/trees.py" "$(command -v perfevo)" . --every "${PERFEVO_HOSTILE_EVERY:-5}"
