# A function whose source and instructions are the same does more work, for a macro fills a table in it with other
# values: it is not called unchanged.
project
echo '#define TIMES 1, 1' >>table.h
sed -i 's/^\tprobe(word);$/\tstatic const int times[] = {TIMES};\n\n\tfor (int i = 0; i < times[word \& 1]; i++)\n\t\tprobe(word);/' table.c
save 'a table says how often'
sed -i 's/TIMES 1, 1/TIMES 2, 4/' table.h
save 'other values'
perfevo compare -q --tree -b small HEAD~1 HEAD
