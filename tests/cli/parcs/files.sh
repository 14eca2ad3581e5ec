# The stages of recorded profiles: what the sources say is not known, and call sites are not either.
printf 'main;parse;probe 60\nmain;parse 20\nmain;print 20\n' >old.folded
printf 'main;parse;probe 30\nmain;parse 50\nmain;write 20\n' >new.folded
perfevo parcs -q --overlap 99% old.folded new.folded
perfevo parcs -q --overlap 99% --top 1 --format json old.folded new.folded
