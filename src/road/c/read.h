/* read.h - what the scanner and the parser share. */

#ifndef READ_H
#define READ_H

#include "c.h"

typedef struct Reader Reader;

struct Reader {
	Source *s;
	void *scanner;
	uint32_t at;        /* offset in the text: after what was matched */
	uint32_t line;      /* of that offset */
	uint32_t linestart; /* where that line begins */
	int file;
	bool system;
	uint8_t gap;   /* what was met since the last token */
	int back;      /* start condition to return to after a directive */
	int around;    /* and after a comment */
	uint32_t hash; /* offset after the # of a directive */
	bool first;    /* the comment is the first on its line */
	bool raws;     /* R"(...)" is a string */
	/* of the token that is being scanned: */
	uint32_t from; /* where it begins */
	uint32_t fromline, fromcolumn;
	int name;     /* number of an identifier */
	int kept;     /* token to return when its parentheses are closed */
	int depth;    /* depth of these parentheses */
	char raw[17]; /* delimiter of a raw string */
	int rawlen;
	const char *bad; /* of BADTOKEN: what was expected */
	/* of the parser: */
	int ahead;     /* a token that was read ahead; or 0 */
	int before[2]; /* the last two tokens */
	int nest;      /* depth of nested statements */
	bool constant; /* initializers in braces are constants, as in C89 */
	Table files;      /* names to numbers; of a file that is included again, the last one */
	int *includer;    /* files that include the current one, outermost first */
	int nincluder;
	size_t capincluder;
	Node *made; /* the last function */
};

/* A declarator. */
typedef struct Declarator Declarator;
typedef struct Param Param;

struct Param {
	int name;
	Param *next;
};

struct Declarator {
	int name;  /* NONE if it is abstract */
	int token; /* that of the name */
	bool function;
	Param *param; /* of the function, last one first */
	List list;    /* nodes in its initializer */
};

void *startscan(Reader *, char *text, size_t len);
int nexttoken(void *scanner);
void endscan(void *scanner);
int fileid(Reader *, const char *name, size_t len);
int fileagain(Reader *, const char *name, size_t len);

#endif
