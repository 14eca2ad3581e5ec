# Colours are for terminals, unless NO_COLOR or --color says otherwise.
measured_repo
coloured()
{
	if grep -q "$(printf '\033')"; then echo "$1: colours"; else echo "$1: none"; fi
}
export PERFEVO_PAGER=
perfevo log | coloured 'pipe'
perfevo --color=always log | coloured 'pipe, --color=always'
NO_COLOR=1 perfevo log --color=always | coloured 'pipe, NO_COLOR, --color=always'
export TERM=xterm
as_terminal 'perfevo log' | coloured 'terminal'
as_terminal 'NO_COLOR=1 perfevo log' | coloured 'terminal, NO_COLOR'
as_terminal 'NO_COLOR= perfevo log' | coloured 'terminal, empty NO_COLOR'
as_terminal 'TERM=dumb perfevo log' | coloured 'dumb terminal'
as_terminal 'perfevo log --color=never' | coloured 'terminal, --color=never'
