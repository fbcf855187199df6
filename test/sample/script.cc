// script.cc - an interpreter for a small language, with a script to run: virtual functions,
// templates, containers, closures, exceptions that leave many frames.  roads: asm  by: g++
// Breakpoints take a minute; live/languages has them.
// status: 3

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace big {

// Natural numbers of any size, in digits of base 10^9.
class Natural {
	std::vector<uint32_t> digit; // the lowest first; none for 0
	static constexpr uint64_t base = 1000000000;

	void trim()
	{
		while (!digit.empty() && digit.back() == 0)
			digit.pop_back();
	}

public:
	Natural(uint64_t n = 0)
	{
		for (; n; n /= base)
			digit.push_back(uint32_t(n % base));
	}
	friend Natural operator+(const Natural &a, const Natural &b)
	{
		Natural sum;
		uint64_t carry = 0;
		for (size_t i = 0; i < std::max(a.digit.size(), b.digit.size()) || carry; i++) {
			carry += i < a.digit.size() ? a.digit[i] : 0;
			carry += i < b.digit.size() ? b.digit[i] : 0;
			sum.digit.push_back(uint32_t(carry % base));
			carry /= base;
		}
		return sum;
	}
	friend Natural operator*(const Natural &a, const Natural &b)
	{
		Natural product;
		product.digit.resize(a.digit.size() + b.digit.size());
		for (size_t i = 0; i < a.digit.size(); i++) {
			uint64_t carry = 0;
			for (size_t k = 0; k < b.digit.size() || carry; k++) {
				carry += product.digit[i + k];
				carry += k < b.digit.size() ? uint64_t(a.digit[i]) * b.digit[k] : 0;
				product.digit[i + k] = uint32_t(carry % base);
				carry /= base;
			}
		}
		product.trim();
		return product;
	}
	std::string text() const
	{
		if (digit.empty())
			return "0";
		std::string s = std::to_string(digit.back());
		for (size_t i = digit.size() - 1; i-- > 0;) {
			std::string d = std::to_string(digit[i]);
			s += std::string(9 - d.size(), '0') + d;
		}
		return s;
	}
};

template <class T>
T
power(T x, unsigned n)
{
	T result = 1;
	for (; n; n >>= 1) {
		if (n & 1)
			result = result * x; //= 6
		x = x * x;
	}
	return result;
}

} // namespace big

struct Error : std::runtime_error {
	int line;
	Error(int l, const std::string &what) : std::runtime_error(what), line(l) {}
};

// Values: numbers, texts, lists, functions.
struct Value;
using Ref = std::shared_ptr<Value>;
using List = std::vector<Ref>;
using Native = std::function<Ref(const List &, int line)>;

struct Value {
	virtual ~Value() = default;
	virtual std::string text() const = 0;
	virtual bool truth() const { return true; }
	virtual const char *kind() const = 0;
};

struct Number : Value {
	long n;
	explicit Number(long k) : n(k) {}
	std::string text() const override { return std::to_string(n); }
	bool truth() const override { return n != 0; }
	const char *kind() const override { return "number"; }
};

struct Text : Value {
	std::string s;
	explicit Text(std::string t) : s(std::move(t)) {}
	std::string text() const override { return s; }
	bool truth() const override { return !s.empty(); }
	const char *kind() const override { return "text"; }
};

struct Array : Value {
	List item;
	std::string text() const override
	{
		std::ostringstream o;
		const char *comma = "";
		for (auto &v : item) {
			o << comma << v->text();
			comma = ",";
		}
		return "[" + o.str() + "]";
	}
	bool truth() const override { return !item.empty(); }
	const char *kind() const override { return "list"; }
};

struct Function : Value {
	Native call;
	explicit Function(Native f) : call(std::move(f)) {}
	std::string text() const override { return "function"; }
	const char *kind() const override { return "function"; }
};

template <class T>
T &
as(const Ref &v, int line)
{
	if (auto *t = dynamic_cast<T *>(v.get()))
		return *t;
	throw Error(line, std::string("unexpected ") + v->kind());
}

// Names in scope, from the inside out.
class Scope : public std::enable_shared_from_this<Scope> {
	std::map<std::string, Ref> name;
	std::shared_ptr<Scope> outer;

public:
	explicit Scope(std::shared_ptr<Scope> o = nullptr) : outer(std::move(o)) {}
	Ref *find(const std::string &s)
	{
		auto it = name.find(s);
		return it != name.end() ? &it->second : outer ? outer->find(s) : nullptr;
	}
	void let(const std::string &s, Ref v) { name[s] = std::move(v); }
};

using In = std::shared_ptr<Scope>;

// Jumps within scripts are exceptions here.
struct Break {};
struct Return {
	Ref value;
};

struct Node {
	int line;
	explicit Node(int l) : line(l) {}
	virtual ~Node() = default;
	virtual Ref run(const In &) const = 0;
};

using Tree = std::unique_ptr<Node>;

struct Literal : Node {
	Ref value;
	Literal(int l, Ref v) : Node(l), value(std::move(v)) {}
	Ref run(const In &) const override { return value; }
};

struct Variable : Node {
	std::string name;
	Variable(int l, std::string s) : Node(l), name(std::move(s)) {}
	Ref run(const In &in) const override
	{
		if (Ref *r = in->find(name))
			return *r;
		throw Error(line, "no " + name);
	}
};

struct Assign : Node {
	std::string name;
	bool fresh;
	Tree value;
	Assign(int l, std::string s, bool f, Tree v) : Node(l), name(std::move(s)), fresh(f), value(std::move(v)) {}
	Ref run(const In &in) const override
	{
		Ref v = value->run(in);
		Ref *r = fresh ? nullptr : in->find(name);
		if (r)
			*r = v;
		else
			in->let(name, v);
		return v;
	}
};

struct Binary : Node {
	std::string op;
	Tree a, b;
	Binary(int l, std::string o, Tree x, Tree y) : Node(l), op(std::move(o)), a(std::move(x)), b(std::move(y)) {}
	Ref run(const In &in) const override
	{
		Ref x = a->run(in);
		if (op == "&" || op == "|")
			return x->truth() == (op == "&") ? b->run(in) : x;
		Ref y = b->run(in);
		if (op == "+" && dynamic_cast<Text *>(x.get()))
			return std::make_shared<Text>(x->text() + y->text());
		long n = as<Number>(x, line).n, m = as<Number>(y, line).n;
		switch (op[0]) {
		case '+': n += m; break;
		case '-': n -= m; break;
		case '*': n *= m; break;
		case '/':
		case '%':
			if (m == 0)
				throw Error(line, "division by 0");
			n = op[0] == '/' ? n / m : n % m;
			break;
		case '<': n = n < m; break;
		case '=': n = n == m; break;
		default: throw Error(line, "no operator " + op);
		}
		return std::make_shared<Number>(n);
	}
};

struct Call : Node {
	Tree what;
	std::vector<Tree> arg;
	Call(int l, Tree w) : Node(l), what(std::move(w)) {}
	Ref run(const In &in) const override
	{
		Ref f = what->run(in);
		List value;
		for (auto &a : arg)
			value.push_back(a->run(in));
		return as<Function>(f, line).call(value, line);
	}
};

struct Block : Node {
	std::vector<Tree> step;
	using Node::Node;
	Ref run(const In &in) const override
	{
		Ref last = std::make_shared<Number>(0);
		for (auto &s : step)
			last = s->run(in);
		return last;
	}
};

struct If : Node {
	Tree test, yes, no;
	using Node::Node;
	Ref run(const In &in) const override
	{
		Ref t = test->run(in);
		return t->truth() ? yes->run(in) : no ? no->run(in) : t;
	}
};

struct While : Node {
	Tree test, body;
	using Node::Node;
	Ref run(const In &in) const override
	{
		long n = 0;
		try {
			for (; test->run(in)->truth(); n++)
				body->run(in);
		} catch (Break) {
		}
		return std::make_shared<Number>(n);
	}
};

struct Leave : Node {
	Tree value; // none: break
	using Node::Node;
	Ref run(const In &in) const override
	{
		if (!value)
			throw Break();
		throw Return{value->run(in)};
	}
};

struct Define : Node {
	std::vector<std::string> param;
	std::shared_ptr<Node> body;
	using Node::Node;
	Ref run(const In &in) const override
	{
		auto p = param;
		auto b = body;
		return std::make_shared<Function>([p, b, in](const List &arg, int l) -> Ref {
			if (arg.size() != p.size())
				throw Error(l, "wants " + std::to_string(p.size()) + " arguments");
			auto scope = std::make_shared<Scope>(in);
			for (size_t i = 0; i < p.size(); i++)
				scope->let(p[i], arg[i]);
			try {
				return b->run(scope);
			} catch (Return &r) {
				return r.value;
			}
		});
	}
};

class Parser {
	struct Token {
		std::string s;
		char kind; // 'n'umber, 't'ext, 'w'ord, 'o'ther, 'e'nd
		int line;
	};
	std::vector<Token> token;
	size_t at = 0;

	void scan(const std::string &s)
	{
		int line = 1;
		for (size_t i = 0, k; i < s.size(); i = k) {
			k = i + 1;
			char c = s[i], kind = 'o';
			auto span = [&](auto in) {
				while (k < s.size() && in(s[k]))
					k++;
			};
			if (c == '\n')
				line++;
			if (isspace((unsigned char)c))
				continue;
			if (isdigit((unsigned char)c)) {
				kind = 'n';
				span([](char x) { return isdigit((unsigned char)x); });
			} else if (isalpha((unsigned char)c)) {
				kind = 'w';
				span([](char x) { return isalnum((unsigned char)x); });
			} else if (c == '"') {
				span([](char x) { return x != '"'; });
				token.push_back({s.substr(i + 1, k - i - 1), 't', line});
				k++;
				continue;
			}
			token.push_back({s.substr(i, k - i), kind, line});
		}
		token.push_back({"", 'e', line});
	}
	bool is(const std::string &s) const { return token[at].kind != 't' && token[at].s == s; }
	bool skip(const std::string &s)
	{
		bool yes = is(s);
		at += yes;
		return yes;
	}
	Token want(char kind)
	{
		if (token[at].kind != kind)
			throw Error(token[at].line, "unexpected " + token[at].s);
		return token[at++];
	}
	void want(const std::string &s)
	{
		if (!skip(s))
			throw Error(token[at].line, "wanted " + s + ", not " + token[at].s);
	}

	Tree atom()
	{
		Token t = token[at++];
		if (t.kind == 'n')
			return std::make_unique<Literal>(t.line, std::make_shared<Number>(std::stol(t.s)));
		if (t.kind == 't')
			return std::make_unique<Literal>(t.line, std::make_shared<Text>(t.s));
		if (t.s == "(") {
			Tree e = expression(0);
			want(")");
			return e;
		}
		if (t.s == "fn") {
			auto d = std::make_unique<Define>(t.line);
			want("(");
			while (!skip(")")) {
				d->param.push_back(want('w').s);
				skip(",");
			}
			d->body = block();
			return d;
		}
		if (t.kind != 'w')
			throw Error(t.line, "unexpected " + t.s);
		return std::make_unique<Variable>(t.line, t.s);
	}
	Tree called()
	{
		Tree e = atom();
		while (is("(")) {
			auto c = std::make_unique<Call>(token[at++].line, std::move(e));
			while (!skip(")")) {
				c->arg.push_back(expression(0));
				skip(",");
			}
			e = std::move(c);
		}
		return e;
	}
	Tree expression(int level)
	{
		static const std::vector<std::set<std::string>> levels = {
			{"|"}, {"&"}, {"<", "="}, {"+", "-"}, {"*", "/", "%"}};
		if (level == (int)levels.size())
			return called();
		Tree a = expression(level + 1);
		while (token[at].kind == 'o' && levels[level].count(token[at].s)) {
			Token t = token[at++];
			Tree b = expression(level + 1);
			a = std::make_unique<Binary>(t.line, t.s, std::move(a), std::move(b));
		}
		return a;
	}
	Tree block()
	{
		auto b = std::make_unique<Block>(token[at].line);
		want("{");
		while (!skip("}"))
			b->step.push_back(step());
		return b;
	}
	Tree step()
	{
		int line = token[at].line;
		if (skip("if")) {
			auto s = std::make_unique<If>(line);
			s->test = expression(0);
			s->yes = block();
			if (skip("else"))
				s->no = is("if") ? step() : block();
			return s;
		}
		if (skip("while")) {
			auto s = std::make_unique<While>(line);
			s->test = expression(0);
			s->body = block();
			return s;
		}
		Tree s;
		if (skip("break")) {
			s = std::make_unique<Leave>(line);
		} else if (skip("return")) {
			auto l = std::make_unique<Leave>(line);
			l->value = expression(0);
			s = std::move(l);
		} else if (is("let") || (token[at].kind == 'w' && token[at + 1].s == ":")) {
			bool fresh = skip("let");
			std::string name = want('w').s;
			want(":");
			s = std::make_unique<Assign>(line, name, fresh, expression(0));
		} else {
			s = expression(0);
		}
		want(";");
		return s;
	}

public:
	explicit Parser(const std::string &text) { scan(text); }
	Tree program()
	{
		auto b = std::make_unique<Block>(1);
		while (token[at].kind != 'e')
			b->step.push_back(step());
		return b;
	}
};

static In
library()
{
	auto lib = std::make_shared<Scope>();
	auto add = [&](const char *name, Native f) { lib->let(name, std::make_shared<Function>(std::move(f))); };

	add("print", [](const List &a, int) -> Ref {
		for (auto &v : a)
			std::cout << v->text() << (&v == &a.back() ? "\n" : " ");
		return a.empty() ? std::make_shared<Number>(0) : a[0];
	});
	add("list", [](const List &a, int) -> Ref {
		auto l = std::make_shared<Array>();
		l->item = a;
		return l;
	});
	add("push", [](const List &a, int l) -> Ref {
		as<Array>(a.at(0), l).item.push_back(a.at(1));
		return a[0];
	});
	add("at", [](const List &a, int l) -> Ref { return as<Array>(a.at(0), l).item.at(size_t(as<Number>(a.at(1), l).n)); });
	add("size", [](const List &a, int l) -> Ref { return std::make_shared<Number>((long)as<Array>(a.at(0), l).item.size()); });
	add("sort", [](const List &a, int l) -> Ref {
		auto &less = as<Function>(a.at(1), l);
		auto s = std::make_shared<Array>(as<Array>(a.at(0), l));
		std::stable_sort(s->item.begin(), s->item.end(),
				 [&](const Ref &x, const Ref &y) { return less.call({x, y}, l)->truth(); });
		return s;
	});
	add("power", [](const List &a, int l) -> Ref {
		return std::make_shared<Text>(big::power<big::Natural>(as<Number>(a.at(0), l).n, unsigned(as<Number>(a.at(1), l).n)).text());
	});
	add("try", [](const List &a, int l) -> Ref {
		try {
			return as<Function>(a.at(0), l).call({}, l);
		} catch (const Error &e) {
			return std::make_shared<Text>("line " + std::to_string(e.line) + ": " + e.what());
		} catch (const std::exception &) {
			return std::make_shared<Text>("failed");
		}
	});
	add("exit", [](const List &a, int l) -> Ref { exit(int(as<Number>(a.at(0), l).n)); });
	return lib;
}

static const char script[] = R"(
fib: fn(n) { if n < 2 { return n; } return fib(n - 1) + fib(n - 2); };
print("fib", fib(5));

primes: fn(n) {
	let found: list();
	let i: 2;
	while i < n {
		let k: 0;
		let is: 1;
		while k < size(found) {
			if at(found, k) * at(found, k) - 1 < i { } else { break; }
			if i % at(found, k) = 0 { is: 0; break; }
			k: k + 1;
		}
		if is { push(found, i); }
		i: i + 1;
	}
	return found;
};
print("primes", size(primes(20)), primes(30));

counter: fn() { let n: 0; return fn() { n: n + 1; return n; }; };
c: counter();
c(); c();
print("counter", c(), counter()());

numbers: list();
seed: 42;
i: 0;
while i < 20 { seed: (seed * 1103515245 + 12345) % 2147483648; push(numbers, seed % 1000); i: i + 1; }
up: sort(numbers, fn(a, b) { return a < b; });
odd: sort(numbers, fn(a, b) { return b % 2 < a % 2 | (a % 2 = b % 2 & b < a); });
print(up);
print(odd);
print("power", power(3, 63));

collatz: fn(n, steps) { if n = 1 { return steps; } else if n % 2 = 0 { return collatz(n / 2, steps + 1); } return collatz(3 * n + 1, steps + 1); };
print("collatz", collatz(9, 0));

print(try(fn() { return 1 / 0; }));
print(try(fn() { return nothing; }));
print(try(fn() { return at(list(1, 2), 5); }));
print(try(fn() { return "a" * 2; }));
print(try(fn() { return fib(1, 2); }));
deep: fn(n) { if n = 0 { return 1 / n; } return deep(n - 1) + 1; };
i: 0;
while i < 6 { try(fn() { return deep(i); }); i: i + 1; }
quit: fn(n) { if n = 0 { exit(3); } quit(n - 1); };
quit(5);
)";

int
main()
{
	Tree program;

	for (const char *bad : {"x: ;", "(1 + 2;", "fn(1) {}", "if 1 { 2 }"})
		try {
			Parser(bad).program();
		} catch (const Error &e) {
			std::cout << bad << " - " << e.what() << "\n";
		}
	try {
		program = Parser(script).program();
		program->run(library());
	} catch (const Error &e) {
		std::cerr << "line " << e.line << ": " << e.what() << "\n";
		return 1;
	}
	return 0;
}
