perfevo log
