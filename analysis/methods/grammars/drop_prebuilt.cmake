# The packages carry binaries for node on six platforms, more than half of their size: not needed here.
file(GLOB prebuilt ${MODULES}/*/prebuilds)
if(prebuilt)
	file(REMOVE_RECURSE ${prebuilt})
endif()
