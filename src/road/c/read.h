/* read.h - what scanner and parser share. */

#ifndef READ_H
#define READ_H

#include "c.h"

typedef struct Reader Reader;

struct Reader {
	Source *s;
	void *scanner;
	uint32_t at;        /* in the text: after what was matched */
	uint32_t line;      /* there */
	uint32_t linestart; /* where it begins */
	int file;
	bool system;
	uint8_t gap;   /* met since the last token */
	int back;      /* start condition around a directive */
	int around;    /* and around a comment */
	uint32_t hash; /* after the # of a directive */
	bool first;    /* a comment with nothing before it on its line */
	bool raws;     /* R"(...)" is a string */
	/* of the token that is being made */
	uint32_t from; /* where it begins */
	uint32_t fromline, fromcolumn;
	int name;     /* of an identifier */
	int kept;     /* what it will be when its parentheses are closed */
	int depth;    /* of these */
	char raw[17]; /* the word around a raw string */
	int rawlen;
	const char *bad; /* of BADTOKEN: what is missing */
	/* of the parser */
	int ahead;     /* a token that was looked at; 0 */
	int before[2]; /* the last ones */
	int nest;      /* depth of statements */
	bool constant; /* what is in braces is */
	Table files;      /* names to their numbers; of one that is included again, the last */
	int *includer;    /* files that are being included, outermost first */
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
	int name;  /* NONE of an abstract one */
	int token; /* where the name is */
	bool function;
	Param *param; /* of the function */
	List list;    /* of the bounds of arrays */
};

void *startscan(Reader *, char *text, size_t len);
int nexttoken(void *scanner);
void endscan(void *scanner);
int fileid(Reader *, const char *name, size_t len);
int fileagain(Reader *, const char *name, size_t len);

#endif
