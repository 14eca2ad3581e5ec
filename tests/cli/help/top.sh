# The same by help, by --help, and where no command was given.
perfevo help >text
cat text
perfevo --help | cmp - text
perfevo >bare || echo "without a command: status $?"
cmp bare text
