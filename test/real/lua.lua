-- Tests of most of the language and its libraries; with an argument, work for a clock.

local function test(name, f)
	local ok, message = pcall(f)
	print(ok and "PASS " .. name or "FAIL " .. name .. ": " .. tostring(message))
end

local function queens(n)
	local found, row, down, up = 0, {}, {}, {}
	local function place(r)
		if r > n then found = found + 1 return end
		for c = 1, n do
			if not (row[c] or down[r + c] or up[r - c]) then
				row[c], down[r + c], up[r - c] = true, true, true
				place(r + 1)
				row[c], down[r + c], up[r - c] = nil, nil, nil
			end
		end
	end
	place(1)
	return found
end

local function primes(n)
	local sieve, list = {}, {}
	for i = 2, n do
		if not sieve[i] then
			list[#list + 1] = i
			for k = i * i, n, i do sieve[k] = true end
		end
	end
	return list
end

local function words(n)
	local seen, state = {}, 42
	for i = 1, n do
		state = (state * 1103515245 + 12345) & 0x7fffffff
		local w = string.format("%x", state % 4096)
		seen[w] = (seen[w] or 0) + 1
	end
	local list = {}
	for w in pairs(seen) do list[#list + 1] = w end
	table.sort(list, function(a, b)
		if seen[a] ~= seen[b] then return seen[a] > seen[b] end
		return a < b
	end)
	return list, seen
end

local function mandelbrot(n)
	local inside = 0
	for y = 0, n - 1 do
		for x = 0, n - 1 do
			local cr, ci, zr, zi, k = 3.0 * x / n - 2, 2.0 * y / n - 1, 0.0, 0.0, 0
			while k < 50 and zr * zr + zi * zi < 4 do
				zr, zi, k = zr * zr - zi * zi + cr, 2 * zr * zi + ci, k + 1
			end
			if k == 50 then inside = inside + 1 end
		end
	end
	return inside
end

local Account = {}
Account.__index = Account
Account.__add = function(a, b) return setmetatable({sum = a.sum + b.sum}, Account) end
Account.__eq = function(a, b) return a.sum == b.sum end
Account.__lt = function(a, b) return a.sum < b.sum end
Account.__le = function(a, b) return a.sum <= b.sum end
Account.__call = function(a, n) return a.sum * n end
Account.__len = function(a) return a.sum end
Account.__concat = function(a, b) return "account" end
Account.__close = function(a) a.sum = -1 end
function Account.new(sum) return setmetatable({sum = sum}, Account) end
function Account:add(n) self.sum = self.sum + n return self end

local function generate(n)
	return coroutine.wrap(function() for i = 1, n do coroutine.yield(i, i * i) end end)
end

if arg and arg[1] then
	print(queens(9), #primes(1500000), #words(1000000), mandelbrot(400))
	local s = 0
	for i, q in generate(700000) do s = s + q % i + #tostring(q) end
	local a = Account.new(0)
	for i = 1, 10000000 do a:add(i & 7) end
	print(s, a.sum, #string.rep("lua", 600000):gsub("u", "oo"):upper())
	return
end

test("queens", function() assert(queens(6) == 4) assert(queens(7) == 40) end)
test("primes", function() local p = primes(10000) assert(#p == 1229 and p[1229] == 9973) end)
test("words", function()
	local list, seen = words(20000)
	for i = 2, #list do assert(seen[list[i - 1]] >= seen[list[i]]) end
end)
test("mandelbrot", function() print(mandelbrot(40)) end)
test("metamethods", function()
	local a, b = Account.new(1), Account.new(2)
	assert((a + b).sum == 3 and a < b and a <= b and a ~= b and b(5) == 10 and #b == 2)
	assert(a .. b == "account" and a:add(1) == b)
	do local c <close> = a end
	assert(a.sum == -1)
	local t = setmetatable({}, {__index = function(_, k) return k .. "!" end,
		__newindex = function(t, k, v) rawset(t, k, v * 2) end})
	t.x = 4
	assert(t.x == 8 and t.y == "y!" and rawget(t, "y") == nil)
	assert(tostring(setmetatable({}, {__tostring = function() return "me" end})) == "me")
end)
test("coroutines", function()
	local s = 0
	for i, q in generate(100) do s = s + q end
	assert(s == 338350)
	local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) error("x" .. b) end)
	assert(select(2, coroutine.resume(co, 1)) == 2)
	local ok, m = coroutine.resume(co, "y")
	assert(not ok and m:find("xy") and coroutine.status(co) == "dead")
	local deep = coroutine.wrap(function() return pcall(function() coroutine.yield(7) return 8 end) end)
	assert(deep() == 7) assert(select(2, deep()) == 8)
	assert(coroutine.close(coroutine.create(print)) and not coroutine.isyieldable())
end)
test("errors", function()
	local ok, e = pcall(error, {code = 3})
	assert(not ok and e.code == 3)
	assert(not pcall(function() local x = nil; return x.y end))
	assert(not pcall(function() return 1 + {} end))
	assert(not pcall(function() return "a" < 1 end))
	assert(select(2, xpcall(function() error("in", 0) end, function(m) return m .. "side" end)) == "inside")
	local function forever() return forever() + 1 end
	assert(select(2, pcall(forever)):find("overflow"))
	for i = 1, 100 do assert(not pcall(string.rep)) end
end)
test("strings", function()
	assert(("x"):rep(3, ",") == "x,x,x" and ("abc"):reverse() == "cba" and ("abc"):byte(-1) == 99)
	assert(("key = value"):match("^(%w+)%s*=%s*(%w+)$") == "key")
	assert(("hello world"):gsub("o", {o = "0"}) == "hell0 w0rld")
	assert(("THE (quick) fox"):find("%((%a+)%)") == 5)
	assert(("f(a(b)c)d"):match("%b()") == "(a(b)c)" and ("THE fox"):match("%f[%a]%l+") == "fox")
	assert(string.format("%5.2f|%-5d|%05x|%q|%s", 3.14159, 42, 255, "a\nb", {} and true) ==
		" 3.14|42   |000ff|\"a\\\nb\"|true")
	assert(string.unpack("<i4", string.pack("<i4", -7)) == -7 and #string.pack("z!8d", "abc", 1.5) == 16)
	for w in ("one two three"):gmatch("%a+") do assert(#w >= 3) end
	assert(utf8.char(233, 8364) == "é€" and utf8.len("é€") == 2 and utf8.codepoint("€") == 8364)
end)
test("numbers", function()
	assert(7 // 2 == 3 and -7 // 2 == -4 and -7 % 3 == 2 and 7.5 // 2 == 3.0 and 2 ^ 10 == 1024.0)
	assert(1 << 62 == 4611686018427387904 and ~0 == -1 and 5 & 3 == 1 and 5 ~ 3 == 6 and 1 << 64 == 0)
	assert(math.maxinteger + 1 == math.mininteger and math.type(1.0) == "float" and 1 == 1.0)
	assert(tonumber("0x1p4") == 16.0 and tonumber("z", 36) == 35 and tonumber("1e") == nil)
	assert(math.ult(1, -1) and math.tointeger(3.0) == 3 and math.floor(-3.5) == -4 and "10" + 5 == 15)
	for i = 10, 1, -3 do assert(i % 3 == 1) end
	for x = 0, 1, 0.25 do assert(x <= 1) end
end)
test("tables", function()
	local t = {5, 3, 8, 1, n = 2, [2.0] = 4}
	table.sort(t)
	assert(table.concat(t, " ") == "1 3 5 8" and #t == 4 and t.n == 2)
	table.insert(t, 1, 0) table.insert(t, 9) assert(table.remove(t, 1) == 0 and table.remove(t) == 9)
	assert(select("#", table.unpack(t, 1, 6)) == 6 and table.pack(1, nil, 3).n == 3)
	assert(#table.move(t, 1, 4, 3) == 6 and next({}) == nil)
	local big = {}
	for i = 1, 10000 do big[i] = i big["k" .. i] = i end
	for i = 1, 10000, 2 do big[i] = nil big["k" .. i] = nil end
	local n = 0
	for k, v in pairs(big) do n = n + 1 end
	assert(n == 10000)
end)
test("control", function()
	local s = 0
	for i = 1, 10 do
		if i % 2 == 0 then goto continue end
		if i > 7 then break end
		s = s + i
		::continue::
	end
	repeat local x = s s = s - 1 until x < 10
	while true do s = s + 1 if s > 20 then break end end
	assert(s == 21)
	local function count(...) return select("#", ...), ... end
	assert(count(nil, nil) == 2 and (count(1, 2, 3)) == 3)
	local fs = {}
	for i = 1, 3 do fs[i] = function() i = i + 1 return i end end
	assert(fs[1]() == 2 and fs[1]() == 3 and fs[2]() == 3)
end)
test("load", function()
	assert(load("return 1 + ...")(2) == 3 and not load("x ="))
	local f = load(string.dump(function(a) local k = a * 2 return k end))
	assert(f(4) == 8)
	local env = {}
	load("y = 5; function g() return y end", "chunk", "t", env)()
	assert(env.g() == 5 and not y)
	local parts = {"return ", "4", "2"}
	assert(load(function() return table.remove(parts, 1) end)() == 42)
end)
test("collector", function()
	local weak = setmetatable({}, {__mode = "k"})
	local closed = 0
	for i = 1, 1000 do
		weak[{}] = i
		setmetatable({}, {__gc = function() closed = closed + 1 end})
	end
	collectgarbage() collectgarbage()
	assert(next(weak) == nil and closed == 1000)
	collectgarbage("generational")
	for i = 1, 20000 do local t = {i, {i}} end
	collectgarbage("incremental")
	for i = 1, 20000 do local s = "x" .. i end
	collectgarbage("step")
	assert(collectgarbage("count") > 0)
end)
test("files", function()
	local name = os.tmpname()
	local f = assert(io.open(name, "w"))
	f:write("one\n", 2, "\n", 3.5, "\nlast") f:close()
	local n = 0
	for l in io.lines(name) do n = n + #l end
	assert(n == 11)
	f = io.open(name) assert(f:read("l", "n", "n") == "one") f:seek("set", 1) assert(f:read("a"):sub(1, 3) == "ne\n")
	f:close() os.remove(name)
	assert(not io.open("/nonexistent/x") and os.time({year = 2000, month = 1, day = 1, hour = 12}) > 0)
	assert(os.date("!%Y-%m-%d", 86400) == "1970-01-02")
end)
test("debug", function()
	local n, info = 0, debug.getinfo(1, "Sl")
	debug.sethook(function() n = n + 1 end, "l")
	local x = 1
	x = x + 1
	debug.sethook()
	assert(n >= 2 and info.currentline > 0 and debug.traceback("m"):find("stack traceback"))
	local name, value = debug.getlocal(1, 1)
	assert(name == "n" and debug.upvalueid(queens, 1) ~= nil or true)
end)
