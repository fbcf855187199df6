# lines.pl - for bench/lines: compare the line counts of several ways with the truth.
#
# usage: perl lines.pl [--list] WAY... -- PROGRAM...
#
# PROGRAM/tree is where a program was built, PROGRAM/truth is what the first build was renamed to,
# PROGRAM/json.WAY has the counts: from gcov, `tally export --json', or `llvm-cov export' for the
# witness.
use strict;
use warnings;
use JSON::PP;
use Cwd;

my (@ways, @programs, $behind);
my $list = @ARGV && $ARGV[0] eq '--list' && shift;
for (@ARGV) {
	if ($_ eq '--') { $behind = 1 } elsif ($behind) { push @programs, $_ } else { push @ways, $_ }
}
my $here = getcwd;
my @compared = grep { /[.]/ } @ways;
my $witnessed = grep { $_ eq 'witness' } @ways;

# within - a path relative to a directory; undef if it is not below it.
sub within {
	my ($path, $cwd, $tree) = @_;
	$path = "$cwd/$path" unless $path =~ m{^/};
	1 while $path =~ s{/\.(?=/)}{} or $path =~ s{/[^/]+/\.\.(?=/)}{};
	return $path =~ m{^\Q$tree\E/(.*)} ? $1 : undef;
}

# documents - those in a file of JSON.
sub documents {
	my ($json) = @_;
	my ($parser, @all) = JSON::PP->new;
	open my $f, '<', $json or die "$json: $!\n";
	local $/;
	$parser->incr_parse(scalar <$f>);
	while (my $d = $parser->incr_parse) { push @all, $d }
	return @all;
}

# counts - by file and line: the count, and whether it is sure.
sub counts {
	my ($json, $tree) = @_;
	my %count;
	for my $d (documents($json)) {
		for my $file (@{$d->{files}}) {
			my $name = within($file->{path} // $file->{file}, $d->{current_working_directory} // $here, $tree) // next;
			for (@{$file->{lines}}) {
				my $c = $count{$name}{$_->{line_number} // $_->{line}} //= [0, 1];
				$c->[0] += $_->{count};
				$c->[1] = 0 if exists $_->{sure} && !$_->{sure};
			}
		}
	}
	return \%count;
}

# calls - by file and line: how often gcov says that the function that begins there was called.
sub calls {
	my ($json, $tree) = @_;
	my %calls;
	for my $d (documents($json)) {
		for my $file (@{$d->{files}}) {
			my $name = within($file->{file}, $d->{current_working_directory} // $here, $tree) // next;
			$calls{$name}{$_->{start_line}} += $_->{execution_count} for @{$file->{functions}};
		}
	}
	return \%calls;
}

# regions - of the witness: by file, lists of lines and counts where a region begins or continues.
sub regions {
	my ($json, $tree) = @_;
	my %region;
	for my $d (documents($json)) {
		for my $file (map { @{$_->{files}} } @{$d->{data}}) {
			my $name = within($file->{filename}, $here, $tree) // next;
			$region{$name} = [map { [$_->[0], $_->[2]] } grep { $_->[3] } @{$file->{segments}}];
		}
	}
	return \%region;
}

# regionson - the counts of the regions that begin on a line, and of the one around its beginning;
# if there are none, of the next.
sub regionson {
	my ($region, $line) = @_;
	my ($force, @on);
	for (@$region) {
		if ($_->[0] < $line) { $force = $_->[1]; next }
		push @on, $_->[1] if $_->[0] == $line || (!@on && !defined $force);
		last if $_->[0] > $line;
	}
	unshift @on, $force if defined $force;
	return @on;
}

# kind - classify an exception among the counts from markers. truth and tally have all lines of the
# file.
sub kind {
	my ($text, $region, $calls, $line, $truth, $tally) = @_;
	my ($t, $c) = map { ($_->{$line} // [])->[0] } $truth, $tally;
	if (!defined $c) {
		return 'no count: the end of a function, behind its last call' if $text =~ /^\s*(\}|(return|break)\s*;)/;
		return 'no count: nothing but a bracket of a statement over several lines' if $text =~ /^\s*((for|while|if)\s*\(|\)?\s*\{)\s*$/;
		return 'no count: unexplained';
	}
	return 'gcov counts a loop on the line where the function begins, and has as many calls as tally'
		if ($calls->{$line} // -1) == $c;
	my @on = regionson($region // [], $line);
	if (grep { $_ == $c } @on) {
		my $how = 'the witness counts as tally does: ';
		return $how . 'a loop without a condition' if $text =~ /\b(while\s*\(\s*(1|true)\s*\)|for\s*\([^;]*;\s*;)/i;
		return $how . 'a label' if $text =~ /^\s*(case\b.*|default\s*|\w+\s*):/;
		return $how . 'the head of a function' if $text =~ /^\w[^;]*$/;
		return $how . 'a statement over several lines' if $text !~ /[;{}]\s*(\/\*.*\*\/\s*)?\\?$/ || $text =~ /^\s*(\)|&&|\|\||\?|:)/;
		return $how . 'other';
	}
	my ($most, $sum) = (0, 0);
	for (@on) { $most = $_ if $_ > $most; $sum += $_ }
	return 'several programs: the largest piece in each adds up' if $c > $most && $c <= $sum;
	return 'gcov comes back to the line from others of the statement'
		if $text !~ /[;{}]\s*(\/\*.*\*\/\s*)?\\?$/ && grep { $t == $c + (($truth->{$line + $_} // [-1])->[0]) } 1 .. 3;
	return 'gcov counts the end of the statement there'
		if $text =~ /^\s*(\)|&&|\|\||\?|:)/ && grep { $t == (($tally->{$line - $_} // [-1])->[0]) } 1 .. 3;
	return 'unexplained';
}

my (%sum, %table, %kinds);
for my $program (@programs) {
	my $dir = "$here/$program";
	my ($truth, $again) = map { counts("$dir/json.$_", "$dir/tree") } 'truth', 'again';
	my $calls = calls("$dir/json.truth", "$dir/tree");
	my $region = $witnessed ? regions("$dir/json.witness", "$dir/tree") : {};
	my ($vary, %lines) = 0;
	for my $f (sort keys %$truth) {
		for my $l (sort { $a <=> $b } keys %{$truth->{$f}}) {
			if ($truth->{$f}{$l}[0] == ($again->{$f}{$l} // [-1])->[0]) { push @{$lines{$f}}, $l } else { $vary++ }
		}
	}
	print "$program: $vary lines are left out: the truth does not always count them alike\n" if $vary;
	for my $way (@compared) {
		my $is = counts("$dir/json.$way", "$dir/tree");
		my %n = map { $_ => 0 } qw(all equal marked wrong absent never);
		for my $f (sort keys %lines) {
			my @text = do { open my $t, '<', "$dir/truth/$f" or (); $t ? <$t> : () };
			for my $l (@{$lines{$f}}) {
				my ($t, $c) = ($truth->{$f}{$l}[0], $is->{$f}{$l});
				my $what = !$c ? 'absent' : $c->[0] == $t ? 'equal' : $c->[1] ? 'wrong' : 'marked';
				next if $t == 0 && (!$c || $c->[0] == 0);
				$what = 'never' if $t == 0;
				$n{all}++ if $t;
				$n{$what}++;
				next if $what eq 'equal';
				my $text = $text[$l - 1] // '';
				my $kind = $what;
				if ($way =~ /source/) {
					$kind = kind($text, $region->{$f}, $calls->{$f}, $l, $truth->{$f}, $is->{$f});
					$kinds{$way}{$kind}++;
				}
				chomp $text;
				print join("\t", $way, "$program/$f:$l", $t, $c ? ($c->[1] ? '' : '~') . $c->[0] : '-', $kind, $text), "\n" if $list;
			}
		}
		push @{$table{$way}}, [$program, \%n];
		$sum{$way}{$_} += $n{$_} for keys %n;
	}
}
for my $way (@compared) {
	my ($cc, $how) = $way =~ /(.*)\.(.*)/;
	printf "\n%-22s %7s %8s %8s %8s %8s %10s\n", $how eq 'gcov' ? "$cc --coverage" : "$cc --lines=$how", qw(lines equal marked wrong absent), 'never ran';
	for (@{$table{$way}}, ['all', $sum{$way}]) {
		my ($program, $n) = @$_;
		printf "%-22s %7d %8.2f %8.2f %8.2f %8.2f %10d\n", $program, $n->{all},
			(map { $n->{all} ? 100 * $n->{$_} / $n->{all} : 0 } qw(equal marked wrong absent)), $n->{never};
	}
	printf "%7d  %s\n", $kinds{$way}{$_}, $_ for sort keys %{$kinds{$way}};
}
