perfevo trak --last 3 || echo $?
perfevo frobnicate || echo $?
