# General options stand before the command or after it; a second -C counts from the first.
measured_repo
cd ..
mkdir -p repo/deep/er
perfevo -C repo --no-pager log -n 1 --metric score
perfevo log -C repo -n 1 --metric score
perfevo -C repo log -C deep/er -n 1 --metric score
mv repo/.git/perfevo/perfevo.db elsewhere.db
perfevo log -C repo --store "$PWD/elsewhere.db" -n 1 --metric score
perfevo -C nowhere log
