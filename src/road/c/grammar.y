/* grammar.y - C from K&R to C23 and GNU C, as far as statements, blocks and operators that do
 * not always evaluate their operands are concerned.
 *
 * It accepts more than C: checking types is left to the compiler.  Whether an identifier names a
 * type is known by the time the scanner meets it: a declaration takes effect when its declarator
 * ends, and there is always some punctuation between that and the next identifier.  After a type,
 * the name of another type may be declared anew (specs1 below), which is what distinguishes
 * `T x;' from `int T;'.
 *
 * Attributes, asm and the like never get here: see scan.l. */

%define api.pure full
%define parse.error custom
%define api.location.type {Span}
%locations
%param { Reader *r }
%expect 1 /* _Atomic (...) is a type */

%code requires {
#include "road/c/read.h"
}

%code {
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define YYLLOC_DEFAULT(cur, rhs, n)                          \
	do {                                                 \
		if (n) {                                     \
			(cur).first = YYRHSLOC(rhs, 1).first; \
			(cur).last = YYRHSLOC(rhs, n).last;  \
			/* an empty part has no tokens */    \
			if ((cur).last < (cur).first)        \
				(cur).last = (cur).first;    \
		} else {                                     \
			(cur).first = (cur).last = YYRHSLOC(rhs, 0).last; \
		}                                            \
	} while (0)

#define YYMAXDEPTH 400000

enum { MAXNEST = 3000 }; /* of statements: later steps are recursive */

static int yylex(YYSTYPE *, YYLTYPE *, Reader *);
static void yyerror(YYLTYPE *, Reader *, const char *);
static Node *node(Reader *, Op, Span);
static List one(Node *);
static List join(List, List);
static List operands(Reader *, Op, Span all, Span left, Span right, Span third, List inside);
static List item(Reader *, Op, Span, List inside);
static List headed(Reader *, Op, Span where, Span open, List inside, Span close);
static void declareone(Reader *, const Declarator *, int specs);
static void begin(Reader *, const Declarator *);
static void end(Reader *, const Declarator *, Span, List body);
static bool isbuiltin(const Reader *, int token);
static bool returns(const Reader *, int token);
static Param *addparam(Reader *, Param *, int name);
static void takeparams(Reader *, Declarator *, Param *, int mark);

static const List NOTHING;
enum { ISTYPEDEF = 1, ISSTATIC = 2 };
}

%union {
	int n;        /* an identifier's number; ISTYPEDEF, ISSTATIC of declaration specifiers */
	List list;
	Declarator decl;
	Param *param;
	struct {
		Param *first;
		int mark;
	} params;
}

%token <n> IDENTIFIER "an identifier" TYPENAME "the name of a type"
%token CONSTANT "a constant" STRING "a string"
%token ARROW "->" CREMENT "++" SHIFT "<<" RELATION "<" EQUALITY "==" ANDAND "&&" OROR "||"
%token ASSIGN "+=" ELLIPSIS "..."
%token SIZEOF "sizeof" UNARYWORD "__real__" GENERIC "_Generic" VAARG "__builtin_va_arg"
%token TYPEDEF "typedef" STATIC "static" STORAGE "extern" QUALIFIER "const" TYPEWORD "int"
%token STRUCT "struct" ENUM "enum" ATOMIC "_Atomic" LABELS "__label__"
%token BASE ":" /* of an enumeration, before its type */
%token IF_ "if" ELSE_ "else" WHILE_ "while" DO_ "do" FOR_ "for" SWITCH_ "switch" CASE_ "case"
%token DEFAULT_ "default" GOTO_ "goto" BREAK_ "break" CONTINUE_ "continue" RETURN_ "return"
%token BADTOKEN "something else"
/* with their parentheses */
%token ASM "asm" TYPEOF "typeof" STATICASSERT "_Static_assert" WHOLE "__builtin_offsetof"
/* and those that are white space */
%token SKIPWORD SKIPPARENS SKIPPRAGMA SKIPATTR SKIPBRACKETS

%type <n> name specs0 specs1 storage typename
%type <decl> declarator direct vdeclarator vdirect pdeclarator pdirect abstract dabstract
%type <decl> initdeclarator vinitdeclarator mdeclarator
%type <param> identifiers
%type <params> params paramlist param
%type <list> expr asgn optexpr args arglist init inits optinits initlist designators
%type <list> declaration block items item statement sub unlabeled label declarators vdeclarators forinit
%type <list> assocs assoc bounds strings

%left ','
%right '=' ASSIGN
%right '?' ':'
%left OROR
%left ANDAND
%left '|'
%left '^'
%left '&'
%left EQUALITY
%left RELATION
%left SHIFT
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY
%precedence SIZEOFTYPE
%left '(' '[' '.' ARROW CREMENT
%precedence IFALONE
%precedence ELSE_

%%

text:
	%empty
|	text external
;

external:
	declaration
|	function
|	ASM ';'				{ r->s->outerasm = true; }
|	';'
|	STATICASSERT ';'
|	untyped ';'
;

/* At file scope a declaration may have no specifiers at all. */
untyped:
	vinitdeclarator			{ declareone(r, &$1, 0); }
|	untyped ',' vinitdeclarator	{ declareone(r, &$3, 0); }
;

function:
	typedfunction
|	vdeclarator			{ begin(r, &$1); }
	  oldparams block		{ end(r, &$1, @$, $4); }
;

typedfunction:
	specs1 declarator		{ begin(r, &$2); }
	  oldparams block		{ end(r, &$2, @$, $5); }
|	specs0 vdeclarator		{ begin(r, &$2); }
	  oldparams block		{ end(r, &$2, @$, $5); }
;

oldparams:
	%empty
|	oldparams declaration
|	oldparams ELLIPSIS
;

/* DECLARATIONS */

declaration:
	specs1 ';'			{ $$ = NOTHING; }
|	specs0 ';'			{ $$ = NOTHING; }
|	specs1 declarators ';'		{ $$ = $1 & (ISSTATIC | ISTYPEDEF) ? NOTHING : $2; }
|	specs0 vdeclarators ';'		{ $$ = $1 & (ISSTATIC | ISTYPEDEF) ? NOTHING : $2; }
|	ENUM name BASE integers ';'	{ $$ = NOTHING; }
|	LABELS identifiers ';'		{ $$ = NOTHING; }
;

/* Specifiers without and with a type: after the former the name of a type is the type, after the
 * latter it is what is declared. */
specs0:
	storage				{ $$ = $1; }
|	specs0 storage			{ $$ = $1 | $2; }
;

specs1:
	type				{ $$ = 0; }
|	TYPENAME			{ $$ = 0; }
|	specs0 type			{ $$ = $1; }
|	specs0 TYPENAME			{ $$ = $1; }
|	specs1 storage			{ $$ = $1 | $2; }
|	specs1 type			{ $$ = $1; }
;

storage:
	TYPEDEF				{ $$ = ISTYPEDEF; }
|	STATIC				{ $$ = ISSTATIC; }
|	STORAGE				{ $$ = 0; }
|	qualifier			{ $$ = 0; }
;

qualifier:
	QUALIFIER
|	ATOMIC
;

type:
	TYPEWORD
|	TYPEOF
|	ATOMIC '(' typename ')'
|	STRUCT name
|	STRUCT '{' members '}'
|	STRUCT name '{' members '}'
|	ENUM name
|	ENUM enumeration
|	ENUM name enumeration
|	ENUM BASE integers enumeration
|	ENUM name BASE integers enumeration
;

enumeration:
	'{' enumerators optcomma '}'
;

integers:
	integer
|	integers integer
;

integer:
	TYPEWORD
|	TYPEOF
|	TYPENAME
|	QUALIFIER
;

name:
	IDENTIFIER
|	TYPENAME
;

optcomma:
	%empty
|	','
;

enumerators:
	enumerator
|	enumerators ',' enumerator
;

enumerator:
	name				{ declare(&r->s->names, $1, false); }
|	name '=' asgn			{ declare(&r->s->names, $1, false); }
;

members:
	%empty
|	members member
;

member:
	specs1 ';'
|	specs1 mdeclarators ';'
|	specs0 ';'
|	STATICASSERT ';'
|	';'
;

mdeclarators:
	mdeclarator
|	mdeclarators ',' mdeclarator
;

mdeclarator:
	declarator
|	declarator ':' asgn
|	':' asgn			{ $$ = (Declarator){0}; }
;

declarators:
	initdeclarator			{ $$ = $1.list; declareone(r, &$1, $<n>0); }
|	declarators ','			{ $<n>$ = $<n>0; }
	  initdeclarator		{ $$ = join($1, $4.list); declareone(r, &$4, $<n>0); }
;

vdeclarators:
	vinitdeclarator			{ $$ = $1.list; declareone(r, &$1, $<n>0); }
|	vdeclarators ','		{ $<n>$ = $<n>0; }
	  vinitdeclarator		{ $$ = join($1, $4.list); declareone(r, &$4, $<n>0); }
;

/* The name is declared before its initializer is read. */
initdeclarator:
	declarator optasm
|	declarator optasm '='		{ declareone(r, &$1, $<n>0); }
	  init				{ $$ = $1; $$.list = join($1.list, $5); $$.list.acts = true; }
;

vinitdeclarator:
	vdeclarator optasm
|	vdeclarator optasm '='		{ declareone(r, &$1, $<n>0); }
	  init				{ $$ = $1; $$.list = join($1.list, $5); $$.list.acts = true; }
;

optasm:
	%empty
|	ASM
;

declarator:
	direct
|	pointer direct			{ $$ = $2; }
;

vdeclarator:
	vdirect
|	pointer pdirect			{ $$ = $2; }
;

/* Like declarator, but `(T' begins parameters if T names a type. */
pdeclarator:
	pdirect
|	pointer pdirect			{ $$ = $2; }
;

pointer:
	'*'
|	'*' qualifiers
|	'*' pointer
|	'*' qualifiers pointer
;

qualifiers:
	qualifier
|	qualifiers qualifier
;

direct:
	name				{ $$ = (Declarator){$1, @1.first, false, NULL, NOTHING}; }
|	'(' declarator ')'		{ $$ = $2; }
|	direct bounds			{ $$ = $1; $$.list = join($1.list, $2); }
|	direct '(' params ')'		{ $$ = $1; takeparams(r, &$$, $3.first, $3.mark); }
|	direct '(' identifiers ')'	{ $$ = $1; takeparams(r, &$$, $3, NONE); }
;

vdirect:
	IDENTIFIER				{ $$ = (Declarator){$1, @1.first, false, NULL, NOTHING}; }
|	'(' vdeclarator ')'		{ $$ = $2; }
|	vdirect bounds			{ $$ = $1; $$.list = join($1.list, $2); }
|	vdirect '(' params ')'		{ $$ = $1; takeparams(r, &$$, $3.first, $3.mark); }
|	vdirect '(' identifiers ')'	{ $$ = $1; takeparams(r, &$$, $3, NONE); }
;

pdirect:
	name				{ $$ = (Declarator){$1, @1.first, false, NULL, NOTHING}; }
|	'(' vdeclarator ')'		{ $$ = $2; }
|	pdirect bounds			{ $$ = $1; $$.list = join($1.list, $2); }
|	pdirect '(' params ')'		{ $$ = $1; takeparams(r, &$$, $3.first, $3.mark); }
|	pdirect '(' identifiers ')'	{ $$ = $1; takeparams(r, &$$, $3, NONE); }
;

bounds:
	'[' ']'				{ $$ = NOTHING; }
|	'[' boundwords ']'		{ $$ = NOTHING; }
|	'[' asgn ']'			{ $$ = NOTHING; $$.call = $2.call; }
|	'[' boundwords asgn ']'		{ $$ = NOTHING; $$.call = $3.call; }
|	'[' '*' ']'			{ $$ = NOTHING; }
|	'[' boundwords '*' ']'		{ $$ = NOTHING; }
;

boundwords:
	STATIC
|	qualifier
|	boundwords STATIC
|	boundwords qualifier
;

identifiers:
	IDENTIFIER			{ $$ = addparam(r, NULL, $1); }
|	identifiers ',' IDENTIFIER	{ $$ = addparam(r, $1, $3); }
;

/* Names of parameters are declared until the list ends, and again in the body. */
params:
	%empty				{ $$.first = NULL; $$.mark = mark(&r->s->names); }
|	ELLIPSIS			{ $$.first = NULL; $$.mark = mark(&r->s->names); }
|	paramlist
|	paramlist ',' ELLIPSIS
|	paramlist ';' paramlist		{ $$ = $3; $$.mark = $1.mark; } /* forward declarations */
;

paramlist:
	param
|	paramlist ',' param		{ $$.mark = $1.mark; $$.first = $1.first;
					  if ($3.first) $3.first->next = $1.first, $$.first = $3.first; }
;

param:
	specs1				{ $$.first = NULL; $$.mark = mark(&r->s->names); }
|	specs0				{ $$.first = NULL; $$.mark = mark(&r->s->names); }
|	specs1 abstract			{ $$.first = NULL; $$.mark = mark(&r->s->names); }
|	specs1 pdeclarator optasm	{ $$.mark = mark(&r->s->names); $$.first = addparam(r, NULL, $2.name);
					  declare(&r->s->names, $2.name, false); }
|	specs0 vdeclarator optasm	{ $$.mark = mark(&r->s->names); $$.first = addparam(r, NULL, $2.name);
					  declare(&r->s->names, $2.name, false); }
;

abstract:
	pointer				{ $$ = (Declarator){.name = NONE}; }
|	dabstract
|	pointer dabstract		{ $$ = $2; }
;

dabstract:
	'(' abstract ')'		{ $$ = $2; }
|	bounds				{ $$ = (Declarator){.name = NONE}; }
|	dabstract bounds
|	'(' params ')'			{ $$ = (Declarator){.name = NONE}; takeparams(r, &$$, $2.first, $2.mark); }
|	dabstract '(' params ')'	{ $$ = $1; takeparams(r, &$$, $3.first, $3.mark); }
;

typename:
	specs1
|	specs1 abstract			{ $$ = $1; }
|	specs0 abstract			{ $$ = $1; }
;

init:
	asgn
|	initlist
;

/* in C89 these are constants */
initlist:
	'{' optinits '}'		{ $$ = r->constant ? NOTHING : $2; }
;

optinits:
	%empty				{ $$ = NOTHING; }
|	inits
|	inits ','
;

inits:
	init
|	designators '=' init		{ $$ = join($1, $3); }
|	designators init		{ $$ = join($1, $2); }
|	name ':' init			{ $$ = $3; }
|	inits ',' init			{ $$ = join($1, $3); }
|	inits ',' designators '=' init	{ $$ = join($1, $5); }
|	inits ',' designators init	{ $$ = join($1, $4); }
|	inits ',' name ':' init		{ $$ = join($1, $5); }
;

designators:
	designator			{ $$ = NOTHING; }
|	designators designator		{ $$ = NOTHING; }
;

designator:
	'[' asgn ']'
|	'[' asgn ELLIPSIS asgn ']'
|	'.' name
;

/* STATEMENTS */

block:
	'{'				{ openscope(&r->s->names);
					  if (++r->nest > MAXNEST) {
						  yyerror(&@1, r, "statements are nested too deeply");
						  YYABORT;
					  } }
	  items '}'			{ closescope(&r->s->names); r->nest--;
					  $$ = item(r, COMPOUND, @$, NOTHING); $$.first->body = $3; }
;

items:
	%empty				{ $$ = NOTHING; }
|	items item			{ $$ = join($1, $2); }
;

item:
	label
|	unlabeled
|	declaration			{ $$ = item(r, DECLARATION, @$, $1);
					  $$.first->code = $1.call || $1.acts; }
|	STATICASSERT ';'		{ $$ = NOTHING; }
|	typedfunction			{ $$ = one(r->made); }
;

label:
	name ':'			{ $$ = item(r, LABEL, @$, NOTHING); }
|	CASE_ expr ':'			{ $$ = item(r, CASE, @$, NOTHING); }
|	CASE_ expr ELLIPSIS expr ':'	{ $$ = item(r, CASE, @$, NOTHING); }
|	DEFAULT_ ':'			{ $$ = item(r, CASE, @$, NOTHING); }
;

/* a statement where only one may stand */
statement:
	unlabeled
|	label statement			{ $$ = join($1, $2); }
;

sub:
	{ $<n>$ = r->nest; /* yylex knows `else if' */
	  if (++r->nest > MAXNEST) {
		yyerror(&yylloc, r, "statements are nested too deeply");
		YYABORT;
	  } }
	statement			{ r->nest = $<n>1; $$ = $2; @$ = @2; }
;

unlabeled:
	block
|	';'				{ $$ = item(r, EMPTY, @$, NOTHING); }
|	expr ';'			{ $$ = item(r, EXPRESSION, @$, $1); }
|	IF_ '(' expr ')' sub %prec IFALONE {
		$$ = headed(r, IF, @$, @2, $3, @4);
		$$.first->at = @4.first, $$.first->body = $5;
	}
|	IF_ '(' expr ')' sub ELSE_ sub {
		$$ = headed(r, IF, @$, @2, $3, @4);
		$$.first->at = @4.first, $$.first->body = $5;
		$$.first->otherwise = @6.first, $$.first->other = $7;
	}
|	WHILE_ '(' expr ')' sub {
		$$ = headed(r, WHILE, @$, @2, $3, @4);
		$$.first->at = @4.first, $$.first->body = $5;
	}
|	DO_ sub WHILE_ '(' expr ')' ';' {
		$$ = headed(r, DO, @$, @4, $5, @6);
		$$.first->at = @3.first, $$.first->body = $2;
	}
|	FOR_ '('			{ openscope(&r->s->names); }
	  forinit optexpr ';' optexpr ')' sub {
		Node *n;

		closescope(&r->s->names);
		$$ = item(r, FOR, @$, $5);
		n = $$.first;
		n->init = $4, n->step = $7, n->body = $9;
		n->at = @8.first;
		n->start = (Span){@2.last + 1, @4.last - 1};
		n->test = (Span){@4.last + 1, @6.first - 1};
		n->again = (Span){@6.first + 1, @8.first - 1};
	}
|	SWITCH_ '(' expr ')' sub {
		$$ = headed(r, SWITCH, @$, @2, $3, @4);
		$$.first->at = @4.first, $$.first->body = $5;
	}
|	GOTO_ name ';'			{ $$ = item(r, GOTO, @$, NOTHING); }
|	GOTO_ '*' expr ';'		{ $$ = item(r, GOTO, @$, $3); }
|	CONTINUE_ ';'			{ $$ = item(r, CONTINUE, @$, NOTHING); }
|	BREAK_ ';'			{ $$ = item(r, BREAK, @$, NOTHING); }
|	RETURN_ optexpr ';'		{ $$ = item(r, GOTO, @$, $2);
					  $$.first->plain = @3.first == @1.first + 1; }
|	ASM ';'				{ $$ = item(r, EXPRESSION, @$, NOTHING); $$.first->call = true; }
;

forinit:
	optexpr ';'
|	declaration
;

/* EXPRESSIONS */

optexpr:
	%empty				{ $$ = NOTHING; }
|	expr
;

expr:
	asgn
|	expr ',' asgn			{ $$ = join($1, $3); }
;

strings:
	STRING				{ $$ = NOTHING; }
|	strings STRING
;

asgn:
	IDENTIFIER			{ $$ = NOTHING; }
|	CONSTANT			{ $$ = NOTHING; }
|	WHOLE				{ $$ = NOTHING; }
|	strings
|	'(' expr ')'			{ $$ = $2; }
|	'(' block ')' {
		Node *n = node(r, VALUE, @2);

		n->body = $2.first->body;
		$$ = one(n);
		$$.call = true;
	}
|	GENERIC '(' asgn ',' assocs ')'	{ $$ = $5; }
|	GENERIC '(' typename ',' assocs ')'	{ $$ = $5; }
|	VAARG '(' asgn ',' typename ')'	{ $$ = $3; }
|	'(' typename ')' initlist	{ $$ = $2 & ISSTATIC ? NOTHING : $4; }
|	asgn '[' expr ']'		{ $$ = join($1, $3); }
|	asgn '(' args ')' {
		$$ = isbuiltin(r, @1.first) ? NOTHING : join($1, $3);
		$$.call |= !isbuiltin(r, @1.first) && !returns(r, @1.first);
	}
|	asgn '.' name
|	asgn ARROW name
|	asgn CREMENT
|	CREMENT asgn %prec UNARY	{ $$ = $2; }
|	'&' asgn %prec UNARY		{ $$ = $2; }
|	'*' asgn %prec UNARY		{ $$ = $2; }
|	'+' asgn %prec UNARY		{ $$ = $2; }
|	'-' asgn %prec UNARY		{ $$ = $2; }
|	'~' asgn %prec UNARY		{ $$ = $2; }
|	'!' asgn %prec UNARY		{ $$ = $2; }
|	UNARYWORD asgn %prec UNARY	{ $$ = $2; }
|	ANDAND name %prec UNARY		{ $$ = NOTHING; }
|	SIZEOF asgn %prec UNARY		{ $$ = NOTHING; }
|	SIZEOF '(' typename ')' %prec SIZEOFTYPE	{ $$ = NOTHING; }
|	'(' typename ')' asgn %prec UNARY	{ $$ = $4; }
|	asgn '*' asgn			{ $$ = join($1, $3); }
|	asgn '/' asgn			{ $$ = join($1, $3); }
|	asgn '%' asgn			{ $$ = join($1, $3); }
|	asgn '+' asgn			{ $$ = join($1, $3); }
|	asgn '-' asgn			{ $$ = join($1, $3); }
|	asgn SHIFT asgn			{ $$ = join($1, $3); }
|	asgn RELATION asgn		{ $$ = join($1, $3); }
|	asgn EQUALITY asgn		{ $$ = join($1, $3); }
|	asgn '&' asgn			{ $$ = join($1, $3); }
|	asgn '^' asgn			{ $$ = join($1, $3); }
|	asgn '|' asgn			{ $$ = join($1, $3); }
|	asgn ANDAND asgn		{ $$ = operands(r, AND, @$, @1, @3, @3, join($1, $3)); }
|	asgn OROR asgn			{ $$ = operands(r, OR, @$, @1, @3, @3, join($1, $3)); }
|	asgn '?' expr ':' asgn %prec '?' {
		$$ = operands(r, CHOICE, @$, @1, @3, @5, join($1, join($3, $5)));
	}
|	asgn '?' ':' asgn %prec '?'	{ $$ = operands(r, ELVIS, @$, @1, @4, @4, join($1, $4)); }
|	asgn '=' asgn			{ $$ = join($1, $3); }
|	asgn ASSIGN asgn		{ $$ = join($1, $3); }
;

args:
	%empty				{ $$ = NOTHING; }
|	arglist
;

arglist:
	arg				{ $$ = $<list>1; }
|	arglist ',' arg			{ $$ = join($1, $<list>3); }
;

/* a type may be an argument of some built-in functions */
arg:
	asgn				{ $<list>$ = $1; }
|	typename			{ $<list>$ = NOTHING; }
;

assocs:
	assoc
|	assocs ',' assoc		{ $$ = join($1, $3); }
;

assoc:
	typename ':' asgn		{ $$ = $3; }
|	DEFAULT_ ':' asgn		{ $$ = $3; }
;

%%

static const struct {
	const char *name;
	int token;
	int since; /* it is a keyword from that year's standard on; 0 for always */
	bool gnu;  /* always a keyword in GNU dialects */
} keyword[] = {
	{"auto", STORAGE, 0, 0}, {"break", BREAK_, 0, 0}, {"case", CASE_, 0, 0},
	{"char", TYPEWORD, 0, 0}, {"const", QUALIFIER, 0, 0}, {"continue", CONTINUE_, 0, 0},
	{"default", DEFAULT_, 0, 0}, {"do", DO_, 0, 0}, {"double", TYPEWORD, 0, 0},
	{"else", ELSE_, 0, 0}, {"enum", ENUM, 0, 0}, {"extern", STORAGE, 0, 0},
	{"float", TYPEWORD, 0, 0}, {"for", FOR_, 0, 0}, {"goto", GOTO_, 0, 0}, {"if", IF_, 0, 0},
	{"int", TYPEWORD, 0, 0}, {"long", TYPEWORD, 0, 0}, {"register", STORAGE, 0, 0},
	{"return", RETURN_, 0, 0}, {"short", TYPEWORD, 0, 0}, {"signed", TYPEWORD, 0, 0},
	{"sizeof", SIZEOF, 0, 0}, {"static", STATIC, 0, 0}, {"struct", STRUCT, 0, 0},
	{"switch", SWITCH_, 0, 0}, {"typedef", TYPEDEF, 0, 0}, {"union", STRUCT, 0, 0},
	{"unsigned", TYPEWORD, 0, 0}, {"void", TYPEWORD, 0, 0}, {"volatile", QUALIFIER, 0, 0},
	{"while", WHILE_, 0, 0},
	{"inline", STORAGE, 1999, 1}, {"restrict", QUALIFIER, 1999, 0},
	{"asm", ASM, 9999, 1}, {"typeof", TYPEOF, 2023, 1}, {"typeof_unqual", TYPEOF, 2023, 0},
	{"_Alignas", SKIPPARENS, 0, 0}, {"_Alignof", SIZEOF, 0, 0}, {"_Atomic", ATOMIC, 0, 0},
	{"_Bool", TYPEWORD, 0, 0}, {"_Complex", TYPEWORD, 0, 0}, {"_Generic", GENERIC, 0, 0},
	{"_Imaginary", TYPEWORD, 0, 0}, {"_Noreturn", STORAGE, 0, 0},
	{"_Static_assert", STATICASSERT, 0, 0}, {"_Thread_local", STORAGE, 0, 0},
	{"_BitInt", TYPEOF, 0, 0}, {"_Float16", TYPEWORD, 0, 0}, {"_Float32", TYPEWORD, 0, 0},
	{"_Float64", TYPEWORD, 0, 0}, {"_Float128", TYPEWORD, 0, 0}, {"_Float32x", TYPEWORD, 0, 0},
	{"_Float64x", TYPEWORD, 0, 0}, {"_Decimal32", TYPEWORD, 0, 0},
	{"_Decimal64", TYPEWORD, 0, 0}, {"_Decimal128", TYPEWORD, 0, 0},
	{"alignas", SKIPPARENS, 2023, 0}, {"alignof", SIZEOF, 2023, 0}, {"bool", TYPEWORD, 2023, 0},
	{"constexpr", STATIC, 2023, 0}, {"static_assert", STATICASSERT, 2023, 0},
	{"thread_local", STORAGE, 2023, 0},
	{"__alignof", SIZEOF, 0, 0}, {"__alignof__", SIZEOF, 0, 0}, {"__asm", ASM, 0, 0},
	{"__asm__", ASM, 0, 0}, {"__attribute", SKIPATTR, 0, 0}, {"__attribute__", SKIPATTR, 0, 0},
	{"__declspec", SKIPATTR, 0, 0}, {"_Pragma", SKIPPRAGMA, 0, 0},
	{"__auto_type", TYPEWORD, 0, 0}, {"__builtin_offsetof", WHOLE, 0, 0},
	{"__builtin_types_compatible_p", WHOLE, 0, 0}, {"__builtin_has_attribute", WHOLE, 0, 0}, {"__builtin_va_arg", VAARG, 0, 0},
	{"__builtin_va_list", TYPEWORD, 0, 0}, {"__complex", TYPEWORD, 0, 0},
	{"__complex__", TYPEWORD, 0, 0}, {"__const", QUALIFIER, 0, 0},
	{"__const__", QUALIFIER, 0, 0}, {"__extension__", SKIPWORD, 0, 0},
	{"__float80", TYPEWORD, 0, 0}, {"__float128", TYPEWORD, 0, 0}, {"__fp16", TYPEWORD, 0, 0},
	{"__imag", UNARYWORD, 0, 0}, {"__imag__", UNARYWORD, 0, 0}, {"__inline", STORAGE, 0, 0},
	{"__inline__", STORAGE, 0, 0}, {"__int128", TYPEWORD, 0, 0},
	{"__int128_t", TYPEWORD, 0, 0}, {"__uint128_t", TYPEWORD, 0, 0},
	{"__label__", LABELS, 0, 0}, {"__real", UNARYWORD, 0, 0}, {"__real__", UNARYWORD, 0, 0},
	{"__restrict", QUALIFIER, 0, 0}, {"__restrict__", QUALIFIER, 0, 0},
	{"__seg_fs", QUALIFIER, 0, 0}, {"__seg_gs", QUALIFIER, 0, 0}, {"__signed", TYPEWORD, 0, 0},
	{"__signed__", TYPEWORD, 0, 0}, {"__thread", STORAGE, 0, 0}, {"__typeof", TYPEOF, 0, 0},
	{"__typeof__", TYPEOF, 0, 0}, {"__volatile", QUALIFIER, 0, 0},
	{"__volatile__", QUALIFIER, 0, 0}, {"_Nonnull", QUALIFIER, 0, 0},
	{"_Nullable", QUALIFIER, 0, 0}, {"_Null_unspecified", QUALIFIER, 0, 0},
};

/* addkeywords - of a dialect. */
static void
addkeywords(Names *names, const Dialect *d)
{
	size_t i;

	for (i = 0; i < sizeof keyword / sizeof *keyword; i++)
		if (d->year >= keyword[i].since || (d->gnu && keyword[i].gnu)) {
			int id = nameid(names, keyword[i].name, strlen(keyword[i].name));

			names->name[id].keyword = keyword[i].token;
		}
}

bool
dialect(Dialect *d, const char *s)
{
	static const struct {
		const char *name;
		int year;
	} known[] = {
		{"90", 1989}, {"89", 1989}, {"iso9899:1990", 1989}, {"iso9899:199409", 1989},
		{"99", 1999}, {"9x", 1999}, {"iso9899:1999", 1999}, {"iso9899:199x", 1999},
		{"11", 2011}, {"1x", 2011}, {"iso9899:2011", 2011}, {"17", 2017}, {"18", 2017},
		{"iso9899:2017", 2017}, {"iso9899:2018", 2017}, {"23", 2023}, {"2x", 2023},
		{"iso9899:2024", 2023}, {"2y", 2023},
	};
	size_t i;

	d->gnu = strncmp(s, "gnu", 3) == 0;
	s += d->gnu ? 3 : *s == 'c' ? 1 : 0;
	for (i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(s, known[i].name) == 0) {
			d->year = known[i].year;
			return true;
		}
	return false;
}

/* addfile - a source file; its number. */
static int
addfile(Source *s, const char *name, size_t len)
{
	if (s->nfile > UINT16_MAX)
		err(s->file[0], "it is made of more than %d files", UINT16_MAX + 1);
	apush(s->run, s->file, s->nfile, s->capfile);
	s->file[s->nfile] = astrndup(s->run, name, len);
	return s->nfile++;
}

/* fileid - the number of a source file. */
int
fileid(Reader *r, const char *name, size_t len)
{
	Entry *e;

	r->files.arena = r->s->run;
	e = intern(&r->files, name, len, NONE);
	if (e->value == NONE)
		e->value = addfile(r->s, name, len);
	return e->value;
}

/* fileagain - a source file that begins here: a new number each time. */
int
fileagain(Reader *r, const char *name, size_t len)
{
	Entry *e;

	r->files.arena = r->s->run;
	e = intern(&r->files, name, len, NONE);
	e->value = addfile(r->s, name, len);
	return e->value;
}

/* scantoken - the next token, which is added to Source.token[]. */
static int
scantoken(Reader *r)
{
	Source *s = r->s;
	int t;

	r->gap = 0;
	t = nexttoken(r->scanner);
	apush(s->run, s->token, s->ntoken, s->captoken);
	s->token[s->ntoken] = (Token){
		.begin = r->from,
		.end = r->at,
		.line = r->fromline,
		.column = (uint16_t)(r->fromcolumn < 65535 ? r->fromcolumn : 65535),
		.file = (uint16_t)r->file,
		.gap = r->gap,
		.system = r->system,
		.means = !strchr("])};{,", s->text[r->from]),
	};
	s->ntoken++;
	return t;
}

/* yylex - the next token.  The colon before an enumeration's type is a token of its own, BASE,
 * unlike that of a bit-field or a label; to see that, the token after it is read ahead. */
static int
yylex(YYSTYPE *value, YYLTYPE *where, Reader *r)
{
	int t = r->ahead ? r->ahead : scantoken(r);

	r->ahead = 0;
	value->n = r->name;
	where->first = where->last = r->s->ntoken - 1;
	if (t == ':' && (r->before[0] == ENUM || r->before[1] == ENUM)) {
		r->ahead = scantoken(r);
		if (r->ahead == TYPEWORD || r->ahead == TYPENAME || r->ahead == TYPEOF
		    || r->ahead == QUALIFIER)
			t = BASE;
	}
	if (t == IF_ && r->before[0] == ELSE_)
		r->nest--; /* a chain of `else if' is not nested */
	r->before[1] = r->before[0];
	r->before[0] = t;
	return t;
}

static void
yyerror(YYLTYPE *where, Reader *r, const char *what)
{
	const Token *t = &r->s->token[where->first];
	Buf b = {.arena = r->s->run};

	bprintf(&b, "%s:%u:%u: %s", r->s->file[t->file], t->line, t->column, what);
	r->s->error = b.s;
}

/* kindof - a word for n expected tokens: what begins with them; NULL if there is none. */
static const char *
kindof(const yysymbol_kind_t *want, int n)
{
	bool value = false, statement = false, type = false;
	int i;

	for (i = 0; i < n; i++) {
		value |= want[i] == YYSYMBOL_CONSTANT;
		statement |= want[i] == YYSYMBOL_IF_;
		type |= want[i] == YYSYMBOL_TYPEWORD;
	}
	return statement ? "a statement" : value ? "an expression" : type ? "a declaration" : NULL;
}

/* yyreport_syntax_error - what was expected, in short. */
static int
yyreport_syntax_error(const yypcontext_t *c, Reader *r)
{
	yysymbol_kind_t want[YYNTOKENS];
	int n = yypcontext_expected_tokens(c, want, YYNTOKENS), i;
	YYLTYPE *where = yypcontext_location(c);
	const Token *t = &r->s->token[where->first];
	const char *text = r->s->text + t->begin;
	Buf b = {.arena = r->s->run};

	if (r->bad || kindof(want, n)) {
		bprintf(&b, "expected %s", r->bad ? r->bad : kindof(want, n));
	} else if (n > 0) {
		bprintf(&b, "expected ");
		for (i = 0; i < n; i++)
			bprintf(&b, "%s%s", i == 0 ? "" : i == n - 1 ? " or " : ", ",
				yysymbol_name(want[i]));
	} else {
		bprintf(&b, "expected something else");
	}
	for (i = 0; i < 40 && t->begin + i < t->end && isgraph((unsigned char)text[i]); i++)
		;
	if (t->begin == t->end)
		bprintf(&b, " before the end");
	else if (!r->bad && i > 0)
		bprintf(&b, " before `%.*s'", i, text);
	yyerror(where, r, b.s);
	return 0;
}

static Node *
node(Reader *r, Op op, Span where)
{
	Node *n = anew(r->s->run, Node, 1);

	n->op = op;
	n->first = where.first;
	n->last = where.last;
	n->otherwise = NONE;
	return n;
}

static List
one(Node *n)
{
	return (List){n, n, n->call, false};
}

static List
join(List a, List b)
{
	bool call = a.call || b.call, acts = a.acts || b.acts;

	if (!a.first)
		a = b;
	else if (b.first)
		a.last->next = b.first, a.last = b.last;
	a.call = call;
	a.acts = acts;
	return a;
}

/* item - a statement, with the nodes in its expressions. */
static List
item(Reader *r, Op op, Span where, List inside)
{
	Node *n = node(r, op, where);

	n->call = inside.call;
	n->head = inside;
	return (List){n, n, false, false};
}

/* headed - a statement with a condition between parentheses. */
static List
headed(Reader *r, Op op, Span where, Span open, List inside, Span close)
{
	List l = item(r, op, where, inside);

	l.first->test = (Span){open.last + 1, close.first - 1};
	return l;
}

/* operands - an operator that does not always evaluate all of its operands. */
static List
operands(Reader *r, Op op, Span all, Span left, Span right, Span third, List inside)
{
	Node *n = node(r, op, all);
	List l = {n, n, false, false};
	int i;

	n->left = left;
	n->right = right;
	n->third = third;
	n->plain = op == ELVIS;
	for (i = right.first; op == ELVIS && i <= right.last; i++) {
		char c = r->s->text[r->s->token[i].begin];

		n->plain &= c == '(' || c == ')' || c == '*' || c == '0' || c == 'v';
	}
	return join(l, inside);
}

/* declareone - the name of a declarator takes effect. */
static void
declareone(Reader *r, const Declarator *d, int specs)
{
	if (d->name != NONE)
		declare(&r->s->names, d->name, specs & ISTYPEDEF);
}

static Param *
addparam(Reader *r, Param *list, int name)
{
	Param *p = anew(r->s->run, Param, 1);

	p->name = name;
	p->next = list;
	return p;
}

/* takeparams - set the parameters of a function; a second list belongs to the function to which
 * it returns a pointer. */
static void
takeparams(Reader *r, Declarator *d, Param *list, int mark)
{
	if (mark != NONE)
		undo(&r->s->names, mark);
	if (!d->function)
		d->param = list;
	d->function = true;
}

/* begin - a function begins: declare its name, and in its body those of its parameters. */
static void
begin(Reader *r, const Declarator *d)
{
	const Param *p;

	declareone(r, d, 0);
	openscope(&r->s->names);
	for (p = d->param; p; p = p->next)
		declare(&r->s->names, p->name, false);
}

/* end - a function ends: add it to the list. */
static void
end(Reader *r, const Declarator *d, Span where, List body)
{
	Source *s = r->s;
	Node *n = node(r, FUNCTION, where);

	closescope(&s->names);
	n->at = d->token;
	n->body = body;
	r->made = n;
	if (r->nest > 0)
		return; /* an item of the function around it */
	if (s->lastfunction)
		s->lastfunction->next = n;
	else
		s->function = n;
	s->lastfunction = n;
}

static bool
istext(const Reader *r, int token, const char *word)
{
	const Token *t = &r->s->token[token];

	return strncmp(r->s->text + t->begin, word, strlen(word)) == 0;
}

/* isrest - whether the name of a built-in function continues like this after __builtin_. */
static bool
isrest(const Reader *r, int token, const char *rest)
{
	const Token *t = &r->s->token[token];

	return strncmp(r->s->text + t->begin + strlen("__builtin_"), rest, strlen(rest)) == 0;
}

/* isbuiltin - whether this is a built-in function that needs constants or does not evaluate its
 * arguments. */
static bool
isbuiltin(const Reader *r, int token)
{
	static const char *const name[] = {
		"constant_p", "choose_expr", "classify_type", "object_size", "dynamic_object_size",
		"prefetch", "return_address", "frame_address", "alloca_with_align", "expect_with_",
		"assume", "shufflevector", "has_attribute", "call_with_static_chain", "ia32_",
		"va_arg_pack", "apply", "eh_return_data_regno", "is_constant_evaluated", "tgmath",
	};
	size_t i;

	if (!istext(r, token, "__builtin_"))
		return false;
	for (i = 0; i < sizeof name / sizeof *name; i++)
		if (isrest(r, token, name[i]))
			return true;
	return false;
}

/* returns - whether this is a built-in function that always returns. */
static bool
returns(const Reader *r, int token)
{
	static const char *const last[] = {"abort",   "trap",        "exit",      "_exit", "_Exit",
					   "longjmp", "unreachable", "eh_return", "return"};
	size_t i;

	if (!istext(r, token, "__builtin_"))
		return false;
	for (i = 0; i < sizeof last / sizeof *last; i++)
		if (isrest(r, token, last[i]))
			return false;
	return true;
}

bool
parse(Source *s, const char *path, const char *text, size_t len, const Dialect *d)
{
	Reader r = {.s = s,
		    .line = 1,
		    .raws = d->gnu && d->year >= 1999,
		    .constant = !d->gnu && d->year < 1999};
	bool good;

	if (len >= UINT32_MAX - 2)
		err(path, "it is longer than 4 GB");
	s->text = anew(s->run, char, len + 2);
	memcpy(s->text, text, len);
	s->len = len;
	s->names.run = s->run;
	addkeywords(&s->names, d);
	r.file = fileid(&r, path, strlen(path));
	r.scanner = startscan(&r, s->text, len);
	if (!r.scanner)
		err(path, "out of memory");
	good = yyparse(&r) == 0;
	endscan(r.scanner);
	if (!good && !s->error)
		s->error = "out of memory";
	if (good)
		findstatements(s);
	return good;
}
