# A pre-push hook that was there gets the same lines and arguments, and its no is a no.

measured_project
git init -q --bare ../hub.git
git remote add origin ../hub.git
cat >.git/hooks/pre-push <<END
#!/bin/sh
echo "\$@" >"$PWD/../arguments"
cat >"$PWD/../lines"
END
chmod +x .git/hooks/pre-push
perfevo hooks install --pre-push >/dev/null
git push -q origin main HEAD:refs/heads/other 2>/dev/null
cat ../arguments
sed 's/[0-9a-f]\{40\}/ID/g; s/ID$/ZEROS/' ../lines
echo '--- nothing to push'
git push -q origin main 2>&1
wc -c <../lines
echo '--- slower'
figure 200
git commit -q -a -m slower
git push -q origin main 2>/dev/null && fail 'it was not stopped'
sed "s/$(git rev-parse HEAD)/NEW/; s/$(git rev-parse HEAD^)/OLD/" ../lines
echo '--- a hook that does not read'
printf '#!/bin/sh\nexit 0\n' >.git/hooks/pre-push.before-perfevo
git push -q origin main 2>&1 | grep -c 'is stopped'
echo '--- a hook that says no'
printf '#!/bin/sh\nexit 1\n' >.git/hooks/pre-push.before-perfevo
git push -q origin main 2>&1 | grep -c 'is stopped' || :
