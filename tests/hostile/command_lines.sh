# Each command, option and operand with values that nobody would type gets an answer, and writes nowhere else.
# PERFEVO_HOSTILE_EVERY=1 tries all of them; by default each 54th.
mkdir many
cd many
elsewhere_read_only python3 "$CASE_DIR/command_lines.py" "$(command -v perfevo)" . --every "${PERFEVO_HOSTILE_EVERY:-54}"
