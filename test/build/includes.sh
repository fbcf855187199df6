# includes.sh - what each file of src, include, test and bench includes is what the table in doc/DESIGN.md
# allows it; the table names everything that is there, and what is not only as planned.
perl - "$ROOT" <<'PERL'
use strict;
use warnings;

chdir shift or die;

my %generated = ('grammar.h' => 1);

my (@wrong, %row, %library);

sub wrong { push @wrong, join '', @_ }

# within - the directory that a file is in.
sub within { my ($path) = @_; $path =~ s,/?[^/]*$,,; return $path }

# The table.  Names are those of directories and files of src, or of the top; a row for a file adds to that of its
# directory; each row names only what has a row above it, so that arrows point one way.
open my $doc, '<', 'doc/DESIGN.md' or die "doc/DESIGN.md: $!";
while (<$doc>) {
	next unless /^\| directory \| may include \|$/ .. !/^\|/;
	next if /^\| (directory|---) \|/ or !/^\|/;
	tr/`//d;
	my ($who, $what) = /^\| (.*?) \| (.*?) \|$/ or die "DESIGN.md:$.: no row: $_";
	my $planned = $who =~ s/ \(planned\)$//;
	my @who = split /, /, $who;
	my @what = $what eq 'nothing' ? () : split /, /, $what =~ s/, which .*//r;
	for (@what) {
		$library{$_} = 1 if /^</;
		wrong "DESIGN.md:$.: `$_' is no directory or header of a row above"
			unless /^<.*>$/ or $_ eq 'all' or $row{$_} or $generated{$_} or -f "src/$_" && $row{within($_)};
	}
	for (@who) {
		my $there = -e "src/$_" || -e $_;
		wrong "DESIGN.md:$.: there is no $_" if !$there && !$planned;
		wrong "DESIGN.md:$.: $_ is there, not planned" if $there && $planned;
		wrong "DESIGN.md:$.: a second row of $_" if $row{$_};
	}
	$row{$_} = {map { $_ => 1 } @what} for @who;
}
die "doc/DESIGN.md has no table of what a directory may include\n" unless %row;

# resolved - the file that is meant, as the table names files; undef if there is none.
sub resolved {
	my ($from, $header) = @_;
	my $path = within($from) . "/$header";
	1 while $path =~ s,[^/]+/\.\./,,;
	return $path =~ s,^src/,,r if -f $path;
	return $header if -f "src/$header" or $generated{$header};
	return undef;
}

# check - one file's includes: of its own directory, and what rows allow.
sub check {
	my ($file) = @_;
	my $name = $file =~ s,^src/,,r;
	my $room = within($name);
	unless ($file =~ m,^src/,) { # a row of test is for all below
		$room = within($room) until $row{$room} or $room eq '';
	}
	$room = $name if $file =~ m,^src/[^/]*$,;
	return wrong "$file: $room has no row" unless $row{$room};
	open my $in, '<', $file or die "$file: $!";
	while (<$in>) {
		my ($header) = /^\s*#\s*include\s*(<[^>]*>|"[^"]*")/ or next;
		my ($target, $of);
		if ($header =~ /^</) {
			next unless $library{$header};
			($target, $of) = ($header, $header);
		} else {
			$target = resolved($file, $header =~ tr/"//dr);
			wrong("$file:$.: $header: no such file"), next unless defined $target;
			$of = within($target);
			next if $of eq within($name) or $of eq $room;
		}
		my %may = (%{$row{$room}}, %{$row{$name} // {}});
		next if $may{all} or $may{$of} or $may{$target};
		wrong "$file:$.: $room may not include $target";
	}
}

# Programs that scripts count are not ours, and may want headers that these write.
my @files = split /\0/, `find src include test bench '(' -name '*.[chly]' -o -name '*.cc' ')' -not -path 'test/*/more/*' -print0 | LC_ALL=C sort -z`;
check($_) for @files;
print "$_\n" for @wrong;
print "# ", scalar @files, " files, ", scalar keys %row, " rows\n";
exit(@wrong || @files < 200 ? 1 : 0);
PERL
