;; Dot products of one query with many int8 rows, 16 lanes at a time. The query has 16 bits a lane,
;; so that its own rounding does not show in the result.
;;
;; Rows lie one behind the other, each padded with zeros to a multiple of 16 bytes; the query is padded
;; alike. Each 16-byte block is widened to two halves of eight, and each half is multiplied and added
;; pairwise into four 32-bit sums. Whoever writes the query keeps it so small that no sum overflows:
;; a sum takes a quarter of the lanes, each at most 128 times the query's largest.
(module
  (memory (export "memory") 1)

  ;; scan(rows, scales, count, stride, query, factor, out)
  ;;   rows    address of the first row
  ;;   scales  address of one f32 per row
  ;;   count   number of rows
  ;;   stride  bytes per row, a multiple of 16
  ;;   query   address of the query, stride lanes of two bytes
  ;;   factor  the query's own scale
  ;;   out     address of count f32: dot * scale * factor
  (func (export "scan")
    (param $rows i32) (param $scales i32) (param $count i32) (param $stride i32)
    (param $query i32) (param $factor f32) (param $out i32)
    (local $row_end i32) (local $at i32) (local $a v128) (local $sum v128) (local $sums v128)
    (block $done
      (loop $each_row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $query))
        (local.set $row_end (i32.add (local.get $rows) (local.get $stride)))
        (loop $each_block
          (local.set $a (v128.load (local.get $rows)))
          (local.set $sum
            (i32x4.add
              (local.get $sum)
              (i32x4.add
                (i32x4.dot_i16x8_s
                  (i16x8.extend_low_i8x16_s (local.get $a))
                  (v128.load (local.get $at)))
                (i32x4.dot_i16x8_s
                  (i16x8.extend_high_i8x16_s (local.get $a))
                  (v128.load offset=16 (local.get $at))))))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
          (br_if $each_block (i32.lt_u (local.get $rows) (local.get $row_end))))
        (local.set $sums (f32x4.convert_i32x4_s (local.get $sum)))
        (f32.store (local.get $out)
          (f32.mul
            (f32.mul (local.get $factor) (f32.load (local.get $scales)))
            (f32.add
              (f32.add
                (f32x4.extract_lane 0 (local.get $sums))
                (f32x4.extract_lane 1 (local.get $sums)))
              (f32.add
                (f32x4.extract_lane 2 (local.get $sums))
                (f32x4.extract_lane 3 (local.get $sums))))))
        (local.set $scales (i32.add (local.get $scales) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $each_row)))))
