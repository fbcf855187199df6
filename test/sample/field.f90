! field.f90 - numerical work: modules, types with procedures, generic interfaces, array
! expressions, recursion, a file in memory; ends by stop in a nested call.
! status: 4

module kinds
  implicit none
  integer, parameter :: wp = kind(1.0d0)
end module kinds

module generator
  implicit none
  integer, private, save :: state = 12345
contains
  integer function draw(n)
    integer, intent(in) :: n
    state = mod(state * 1103 + 12345, 65536)
    draw = mod(state, n)
  end function draw
end module generator

module sorting
  implicit none
  interface sorted
    module procedure sorted_integer, sorted_text
  end interface sorted
contains
  recursive subroutine quick(a)
    integer, intent(inout) :: a(:)
    integer :: pivot, i, k, t
    if (size(a) < 2) return
    pivot = a((size(a) + 1) / 2)
    i = 0
    k = size(a) + 1
    do
      do
        i = i + 1
        if (a(i) >= pivot) exit
      end do
      do
        k = k - 1
        if (a(k) <= pivot) exit
      end do
      if (i >= k) exit
      t = a(i)
      a(i) = a(k)
      a(k) = t
    end do
    call quick(a(:i - 1))
    call quick(a(k + 1:))
  end subroutine quick

  logical function sorted_integer(a) result(yes)
    integer, intent(in) :: a(:)
    yes = all(a(:size(a) - 1) <= a(2:))
  end function sorted_integer

  logical function sorted_text(a) result(yes)
    character(len=*), intent(in) :: a(:)
    integer :: i
    yes = .true.
    do i = 2, size(a)
      if (lgt(a(i - 1), a(i))) yes = .false.
    end do
  end function sorted_text
end module sorting

module matrices
  use kinds
  implicit none
contains
  subroutine factor(a, pivot, singular)
    real(wp), intent(inout) :: a(:, :)
    integer, intent(out) :: pivot(:)
    logical, intent(out) :: singular
    integer :: k, p, n
    real(wp), allocatable :: row(:)
    n = size(a, 1)
    singular = .false.
    do k = 1, n
      p = k - 1 + maxloc(abs(a(k:, k)), 1)
      pivot(k) = p
      if (a(p, k) == 0) then
        singular = .true.
        return
      end if
      if (p /= k) then
        row = a(k, :)
        a(k, :) = a(p, :)
        a(p, :) = row
      end if
      a(k + 1:, k) = a(k + 1:, k) / a(k, k)
      a(k + 1:, k + 1:) = a(k + 1:, k + 1:) - spread(a(k + 1:, k), 2, n - k) * spread(a(k, k + 1:), 1, n - k)
    end do
  end subroutine factor

  function solved(a, b) result(x)
    real(wp), intent(in) :: a(:, :), b(:)
    real(wp) :: x(size(b)), lu(size(a, 1), size(a, 2)), t
    integer :: pivot(size(b)), k
    logical :: singular
    lu = a
    x = b
    call factor(lu, pivot, singular)
    if (singular) then
      x = 0
      return
    end if
    do k = 1, size(b)
      t = x(pivot(k))
      x(pivot(k)) = x(k)
      x(k) = t
    end do
    do k = 1, size(b)
      x(k + 1:) = x(k + 1:) - x(k) * lu(k + 1:, k)
    end do
    do k = size(b), 1, -1
      x(k) = (x(k) - dot_product(lu(k, k + 1:), x(k + 1:))) / lu(k, k)
    end do
  end function solved

  recursive subroutine transform(z, sign)
    complex(wp), intent(inout) :: z(:)
    integer, intent(in) :: sign
    complex(wp) :: even(size(z) / 2), odd(size(z) / 2), w
    real(wp), parameter :: pi = 3.14159265358979324_wp
    integer :: k, n
    n = size(z)
    if (n == 1) return
    even = z(1::2)
    odd = z(2::2)
    call transform(even, sign)
    call transform(odd, sign)
    do k = 1, n / 2
      w = odd(k) * exp(cmplx(0, sign * 2 * pi * (k - 1) / n, wp))
      z(k) = even(k) + w
      z(k + n / 2) = even(k) - w
    end do
  end subroutine transform
end module matrices

module shapes
  use kinds
  implicit none
  type, abstract :: shape
    character(len=8) :: name = ''
  contains
    procedure(measure), deferred :: area
    procedure :: describe
  end type shape
  abstract interface
    real(wp) function measure(this)
      import :: shape, wp
      class(shape), intent(in) :: this
    end function measure
  end interface
  type, extends(shape) :: square
    real(wp) :: side
  contains
    procedure :: area => square_area
  end type square
  type, extends(shape) :: polygon
    real(wp), allocatable :: x(:), y(:)
  contains
    procedure :: area => polygon_area
  end type polygon
  type :: holder
    class(shape), allocatable :: item
  end type holder
contains
  real(wp) function square_area(this)
    class(square), intent(in) :: this
    square_area = this%side**2
  end function square_area

  real(wp) function polygon_area(this)
    class(polygon), intent(in) :: this
    integer :: i, k
    polygon_area = 0
    do i = 1, size(this%x)
      k = mod(i, size(this%x)) + 1
      polygon_area = polygon_area + this%x(i) * this%y(k) - this%x(k) * this%y(i)
    end do
    polygon_area = abs(polygon_area) / 2
  end function polygon_area

  subroutine describe(this)
    class(shape), intent(in) :: this
    select type (this)
    type is (square)
      print '(a, 1x, a, f8.3)', 'square', trim(this%name), this%area()
    class default
      print '(a, 1x, a, f8.3)', 'shape', trim(this%name), this%area()
    end select
  end subroutine describe
end module shapes

module life
  implicit none
contains
  function next(cell) result(new)
    logical, intent(in) :: cell(:, :)
    logical :: new(size(cell, 1), size(cell, 2))
    integer :: near(size(cell, 1), size(cell, 2)), i, k
    near = 0
    do i = -1, 1
      do k = -1, 1
        if (i == 0 .and. k == 0) cycle
        where (cshift(cshift(cell, i, 1), k, 2)) near = near + 1
      end do
    end do
    new = near == 3 .or. (cell .and. near == 2)
  end function next

  subroutine show(cell)
    logical, intent(in) :: cell(:, :)
    integer :: i
    do i = 1, size(cell, 1)
      print '(*(a1))', merge('#', '.', cell(i, :))
    end do
  end subroutine show
end module life

program field
  use kinds
  use generator
  use sorting
  use matrices
  use shapes
  use life
  implicit none

  call sorts()
  call solves()
  call transforms()
  call polymorphs()
  call lives()
  call texts()
  call counts(0)

contains

  subroutine sorts()
    integer :: a(500), i
    character(len=5) :: words(4) = ['alpha', 'beta ', 'gamma', 'delta']
    a = [(draw(1000), i=1, size(a))]
    call quick(a)
    print *, 'sorted ', sorted(a), a(1), a(250), a(500), sorted(words), sorted(words(:3))
  end subroutine sorts

  subroutine solves()
    integer, parameter :: n = 24
    real(wp) :: a(n, n), x(n), b(n)
    integer :: i, k
    do k = 1, n
      do i = 1, n
        a(i, k) = draw(19) - 9
      end do
      x(k) = k
    end do
    b = matmul(a, x)
    print *, 'solved ', nint(solved(a, b))
    a(:, 3) = 0
    print *, 'singular ', all(solved(a, b) == 0)
  end subroutine solves

  subroutine transforms()
    complex(wp) :: z(64), old(64)
    integer :: i
    z = [(cmplx(draw(100), -i, wp), i=1, size(z))]
    old = z
    call transform(z, 1)
    call transform(z, -1)
    print *, 'transformed ', maxval(abs(z / size(z) - old)) < 1e-9_wp
  end subroutine transforms

  subroutine polymorphs()
    type(holder) :: all(3)
    integer :: i
    real(wp) :: sum
    allocate (all(1)%item, source=square('one', 2.5_wp))
    allocate (all(2)%item, source=polygon('two', [0.0_wp, 4.0_wp, 0.0_wp], [0.0_wp, 0.0_wp, 3.0_wp]))
    allocate (all(3)%item, source=polygon('three', [(cos(i * 1.0_wp), i=0, 5)], [(sin(i * 1.0_wp), i=0, 5)]))
    sum = 0
    do i = 1, size(all)
      call all(i)%item%describe()
      sum = sum + all(i)%item%area()
    end do
    print '(a, f8.3)', 'areas', sum
  end subroutine polymorphs

  subroutine lives()
    logical :: cell(12, 24)
    integer :: i
    cell = .false.
    cell(2, 3) = .true.
    cell(3, 4) = .true.
    cell(4, 2:4) = .true.
    cell(8, 10:17) = .true.
    do i = 1, 20
      cell = next(cell)
    end do
    call show(cell)
  end subroutine lives

  subroutine texts()
    character(len=80) :: line
    character(len=:), allocatable :: s
    integer :: values(5), i, status
    write (line, '(5i6)') [(i**3, i=1, 5)]
    read (line, *) values
    s = ''
    do i = 1, len_trim(line)
      select case (line(i:i))
      case ('0':'4')
        s = s // achar(iachar('a') + iachar(line(i:i)) - iachar('0'))
      case ('5':'9')
        s = s // 'Z'
      case default
        if (len(s) > 0) then
          if (s(len(s):) /= '-') s = s // '-'
        end if
      end select
    end do
    read (s, *, iostat=status) i
    print *, sum(values), ' ', s, status /= 0
  end subroutine texts

  recursive subroutine counts(n)
    integer, intent(in) :: n
    if (n == 7) stop 4
    call counts(n + 1)
  end subroutine counts
end program field
