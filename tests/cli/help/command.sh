# By help, --help and -h alike; needs no repository.
perfevo help gc
perfevo help gc >text
perfevo gc --help | cmp - text
perfevo gc -h | cmp - text
perfevo gc --keep-last 3 --help | cmp - text
perfevo help trak || echo "status $?"
# The help of the config has each key.
perfevo help config >text
python3 -c 'import json, sys; print("\n".join(json.load(open(sys.argv[1]))["properties"]))' "$SOURCE_DIR/configs/perfevo.schema.json" |
	while read -r key; do
		grep -qw -- "$key" text || echo "no $key"
	done
