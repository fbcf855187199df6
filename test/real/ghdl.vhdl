-- Something for ghdl to compile and to run: a shift register that counts its ones.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity busy is
end entity;

architecture a of busy is
  signal clock : std_logic := '0';
  signal state : unsigned(31 downto 0) := x"12345678";
  signal ones  : natural := 0;
begin
  process
  begin
    for i in 1 to 400000 loop
      clock <= not clock;
      wait for 1 ns;
    end loop;
    report "ones " & integer'image(ones) & ", state " & integer'image(to_integer(state(30 downto 0)));
    wait;
  end process;

  process (clock)
  begin
    if rising_edge(clock) then
      state <= state(30 downto 0) & (state(31) xor state(21) xor state(1) xor state(0));
      if state(5) = '1' then
        ones <= ones + 1;
      end if;
    end if;
  end process;
end architecture;
