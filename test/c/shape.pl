# shape.pl - for shape.sh: whether what the shape of a source says of its lines holds for their counts.
#
# usage: perl shape.pl ASSEMBLY JSON
#
# ASSEMBLY has the shape, in comments; JSON is what `tally export --json' says of the lines.  Prints how many lines
# had their sum's count, and how many equations were tried.
use strict;
use warnings;
use JSON::PP;

my ($assembly, $json) = @ARGV;
my (@file, %sums, @equations, %count, %value);

# sum - of a piece's terms, in one form.
sub sum {
	my %times;
	for (@_) { $times{$1} += "${\(/^-/ ? -1 : 1)}" if /(\d+)/ }
	return join ' ', map { "$times{$_}*$_" } grep { $times{$_} } sort { $a <=> $b } keys %times;
}

open my $f, '<', $assembly or die "$assembly: $!\n";
while (<$f>) {
	push @file, $1 if /^#TALLYf (.*)/;
	next unless /^#TALLYp (\d+) (\d+) \d+ 0(.*)/;
	my $sum = sum(split ' ', $3);
	if ($2 == 0) { push @equations, $sum } elsif ($sum ne '') { $sums{"$file[$1]:$2"}{$sum} = 1 }
}
die "$assembly: no equations\n" unless @equations;
open $f, '<', $json or die "$json: $!\n";
my $d = decode_json(do { local $/; <$f> });
for my $file (@{$d->{files}}) {
	(my $name = $file->{file} // $file->{path}) =~ s{.*/}{};
	for (@{$file->{lines}}) { $count{"$name:$_->{line}"} = $_->{count} }
}

my ($lines, $tried, $bad) = (0, 0, 0);
for my $line (sort keys %sums) {
	my @sum = keys %{$sums{$line}};
	(my $name = $line) =~ s{.*/}{};
	my $c = $count{$name};
	next if @sum != 1 || !defined $c;
	my $v = $value{$sum[0]} //= [$c, $line];
	next if ++$lines && $v->[0] == $c;
	print "$line: $c, but $v->[1], which is of the same block: $v->[0]\n";
	$bad++;
}
for my $e (@equations) {
	my ($n, $text) = (0, '');
	for (split ' ', $e) {
		my ($times, $block) = split /\*/;
		my $v = $value{"1*$block"};
		$n = undef, last unless $v;
		$n += $times * $v->[0];
		$text .= " $times times $v->[0] ($v->[1])";
	}
	next unless defined $n && ++$tried && $n;
	print "makes $n:$text\n";
	$bad++;
}
print "$lines $tried\n";
exit($bad != 0);
