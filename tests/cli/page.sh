# What the cases ask a report that is a page.
# shellcheck shell=sh

# page_block FILE NAME: what a block of a report holds, as JSON. gzip knows deflate with a header of its own, and
# misses its trailer, which is all that it complains of.
page_block()
{
	{
		printf '\037\213\010\000\000\000\000\000\000\003'
		sed -n "s/.*id=\"block-$2\">\([^<]*\)<.*/\1/p" "$1" | base64 -d | tail -c +3
	} | gzip -dc 2>/dev/null || :
}
