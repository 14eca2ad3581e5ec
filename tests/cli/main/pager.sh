# Long results go through the pager on a terminal, and only there.
measured_repo
export TERM=xterm PERFEVO_PAGER="sed 's/^/paged: /'"
as_terminal 'perfevo --color=never log -n 1 --metric score'
as_terminal 'perfevo --color=never --no-pager log -n 1 --metric score'
as_terminal 'PERFEVO_PAGER= perfevo --color=never log -n 1 --metric score'
as_terminal 'PERFEVO_PAGER=no-such-pager perfevo --color=never log -n 1 --metric score 2>/dev/null'
perfevo log -n 1 --metric score
