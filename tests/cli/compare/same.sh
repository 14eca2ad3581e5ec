# A commit that changes nothing that is executed has nothing to explain; one with other calls but the same
# judged figures has nobody to blame.
project
sed -i 's/^void intern/\/* a comment *\/\n&/' table.c
save 'comment'
perfevo compare -q -b small --fail-on-regression HEAD~1
sed -i 's/^\trelease();$/\trelease();\n\trelease2();/; s/^static void release(void)/static void release2(void)\n{\n\tsink = 0;\n}\n\n&/' table.c
save 'another call'
perfevo compare -q -b small --fail-on-regression HEAD~1
