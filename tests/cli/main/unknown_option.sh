# Nothing is opened before the options are understood: this is no repository.
perfevo --qiet log || echo $?
perfevo log --fromat json || echo $?
perfevo log --format yaml || echo $?
perfevo log -n some || echo $?
