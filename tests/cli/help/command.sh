# By help, --help and -h alike; needs no repository.
perfevo help gc
perfevo help gc >text
perfevo gc --help | cmp - text
perfevo gc -h | cmp - text
perfevo gc --keep-last 3 --help | cmp - text
perfevo help trak || echo "status $?"
# The help of the config has its keys, and those of one.
perfevo help config gate
perfevo help config trust
perfevo help config bench || echo "status $?"
