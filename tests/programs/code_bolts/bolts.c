/* A library of bolts: linked to main.c, loaded by load.c. */
int bolts_length(int kind);
int bolts_length(int kind)
{
	static const int lengths[] = {8, 12, 20, 30};

	return lengths[kind & 3] * 2;
}
