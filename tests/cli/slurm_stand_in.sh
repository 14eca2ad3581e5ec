# A stand-in for Slurm's programs, which starts a job at once: nodes n1, n2 and n3 of the folder $work. `touch odd/NAME` there
# lets it answer oddly once.

mkdir "$work/bin" "$work/queue" "$work/odd"
cat >"$work/bin/sbatch" <<END
#!/bin/sh
# queue/NUMBER has what squeue says; each name of a file in odd/ is an oddity that happens once.
cd "$work/queue" || exit 1
once() { rm "$work/odd/\$1" 2>/dev/null; }
for word; do
	case \$word in
	--nodelist=*) "$work/bin/sinfo" | cut -d' ' -f1 | grep -qx "\${word#*=}" || { echo 'sbatch: error: invalid node name specified' >&2; exit 1; } ;;
	esac
	case \$word in
	--partition=none) echo 'sbatch: error: invalid partition specified: none' >&2; exit 1 ;;
	--chdir=*) dir=\${word#*=} ;;
	--comment=*) comment=\${word#*=} ;;
	--nodelist=*) node=\${word#*=} pinned=1 ;;
	--exclude=*) exclude=,\${word#*=}, ;;
	esac
done
once busy && { echo 'sbatch: error: Batch job submission failed: Unable to contact slurm controller' >&2; exit 1; }
n=\$((\$(cat ../number) + 1))
echo \$n >../number
script=\$(cat)
echo "\$comment \${exclude-} \$(date +%s%3N)" >>../handed
for one in \${node-n2 n3 n1}; do
	case \${exclude-} in *,\$one,*) ;; *) [ -n "\${node-}" ] || node=\$one ;; esac
done
[ \$comment = probe ] || work=1
if [ -n "\${pinned-}" ] && [ -n "\${work-}" ] && once down; then echo "\$n|PENDING||\$comment|ReqNodeNotAvail, UnavailableNodes:\$node" >\$n; echo \$n; exit; fi
if [ -n "\${work-}" ] && once linger; then echo "\$n|RUNNING|\$node|\$comment" >\$n; touch "$work/odd/first"; echo \$comment >../lingered; echo \$n; exit; fi
if [ -n "\${work-}" ] && once vanish; then echo \$n; exit; fi
if [ -n "\${work-}" ] && once stuck; then echo "\$n|PENDING||\$comment|launch failed requeued held" >\$n; echo \$n; exit; fi
if [ -n "\${work-}" ] && once fail; then echo \$n; exit; fi
echo "\$n|PENDING||\$comment|None" >\$n
(
	echo "\$n|RUNNING|\$node|\$comment" >\$n
	(cd "\$dir" && SLURMD_NODENAME=\$node SLURM_JOB_ID=\$n sh -c "\$script") >>"$work/worker.log" 2>&1
	rm \$n
) >/dev/null 2>&1 </dev/null &
if [ \$comment != probe ] && once lose; then
	echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2
	exit 1
fi
echo 'sbatch: warning: this is no number' >&2
echo "\$n;cluster"
END
cat >"$work/bin/squeue" <<END
#!/bin/sh
rm "$work/odd/away" 2>/dev/null && { echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1; }
# A job that lingers is in the answer after its first one, and gone from the next on.
if rm "$work/odd/second" 2>/dev/null; then rm \$(grep -l "|\$(cat "$work/lingered")" "$work"/queue/*); date +%s%3N >$work/gone
elif rm "$work/odd/first" 2>/dev/null; then touch "$work/odd/second"; fi
cat "$work"/queue/* 2>/dev/null
exit 0
END
printf 'n1\nn2\nn2\nn3\n' >"$work/names"
printf '#!/bin/sh\ncat %s/names\n' "$work" >"$work/bin/sinfo"
cat >"$work/bin/scancel" <<END
#!/bin/sh
echo "\$*" >>"$work/cancelled"
case "\$*" in
*--state=PENDING) rm -f \$(grep -l '|PENDING|' "$work"/queue/* 2>/dev/null) ;;
*--*) ;;
*) rm -f "$work/queue/\$1" ;;
esac
END
chmod +x "$work"/bin/*
echo 0 >"$work/number"
PATH=$work/bin:$PATH
