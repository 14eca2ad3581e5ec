# Trees that no honest commit has are answered, write nowhere else, and keep no other commit from being measured.
# shellcheck source=tests/hostile/lib.sh
. "$CASE_DIR/lib.sh"
mkdir many
cd many
elsewhere_read_only python3 "$CASE_DIR/trees.py" "$(command -v perfevo)" .
