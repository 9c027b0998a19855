;; Dot products of one query with many int8 rows, 16 lanes at a time. The query has 16 bits a lane,
;; so that its own rounding does not show in the result.
;;
;; Rows lie one behind the other, each padded with zeros to a multiple of 16 bytes; the query is padded
;; alike. Each 16-byte block is loaded as two widened halves of eight, and each half is multiplied and added
;; pairwise into four 32-bit sums. Whoever writes the query keeps it so small that no sum overflows:
;; a sum takes a quarter of the lanes, each at most 128 times the query's largest.
;;
;; Four rows are taken together, which loads the query once for all of them and adds up their sums at once.
(module
  (memory (export "memory") 1)

  ;; scan(rows, scales, count, stride, query, factor, out)
  ;;   rows    address of the first row
  ;;   scales  address of one f32 per row
  ;;   count   number of rows; up to three more are read and written, to a multiple of four
  ;;   stride  bytes per row, a multiple of 16
  ;;   query   address of the query, stride lanes of two bytes
  ;;   factor  the query's own scale
  ;;   out     address of count f32: dot * scale * factor
  (func (export "scan")
    (param $rows i32) (param $scales i32) (param $count i32) (param $stride i32)
    (param $query i32) (param $factor f32) (param $out i32)
    (local $second i32) (local $third i32) (local $fourth i32) (local $row_end i32) (local $at i32)
    (local $low v128) (local $high v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (block $done
      (loop $four_rows
        (br_if $done (i32.le_s (local.get $count) (i32.const 0)))
        (local.set $second (i32.add (local.get $rows) (local.get $stride)))
        (local.set $third (i32.add (local.get $second) (local.get $stride)))
        (local.set $fourth (i32.add (local.get $third) (local.get $stride)))
        (local.set $row_end (local.get $second))
        (local.set $at (local.get $query))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (v128.const i32x4 0 0 0 0))
        (local.set $c (v128.const i32x4 0 0 0 0))
        (local.set $d (v128.const i32x4 0 0 0 0))
        (loop $each_block
          (local.set $low (v128.load (local.get $at)))
          (local.set $high (v128.load offset=16 (local.get $at)))
          (local.set $a
            (i32x4.add
              (local.get $a)
              (i32x4.add
                (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $rows)) (local.get $low))
                (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $rows)) (local.get $high)))))
          (local.set $b
            (i32x4.add
              (local.get $b)
              (i32x4.add
                (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $second)) (local.get $low))
                (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $second)) (local.get $high)))))
          (local.set $c
            (i32x4.add
              (local.get $c)
              (i32x4.add
                (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $third)) (local.get $low))
                (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $third)) (local.get $high)))))
          (local.set $d
            (i32x4.add
              (local.get $d)
              (i32x4.add
                (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $fourth)) (local.get $low))
                (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $fourth)) (local.get $high)))))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
          (local.set $second (i32.add (local.get $second) (i32.const 16)))
          (local.set $third (i32.add (local.get $third) (i32.const 16)))
          (local.set $fourth (i32.add (local.get $fourth) (i32.const 16)))
          (br_if $each_block (i32.lt_u (local.get $rows) (local.get $row_end))))
        (local.set $a (f32x4.convert_i32x4_s (local.get $a)))
        (local.set $b (f32x4.convert_i32x4_s (local.get $b)))
        (local.set $c (f32x4.convert_i32x4_s (local.get $c)))
        (local.set $d (f32x4.convert_i32x4_s (local.get $d)))
        ;; Of each row first sum 0 + 1 and 2 + 3, then both together.
        (local.set $a
          (f32x4.add
            (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $a) (local.get $b))
            (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $a) (local.get $b))))
        (local.set $c
          (f32x4.add
            (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $c) (local.get $d))
            (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $c) (local.get $d))))
        (v128.store (local.get $out)
          (f32x4.mul
            (f32x4.mul (f32x4.splat (local.get $factor)) (v128.load (local.get $scales)))
            (f32x4.add
              (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $a) (local.get $c))
              (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $a) (local.get $c)))))
        (local.set $rows (local.get $fourth))
        (local.set $scales (i32.add (local.get $scales) (i32.const 16)))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (local.set $count (i32.sub (local.get $count) (i32.const 4)))
        (br $four_rows)))))
