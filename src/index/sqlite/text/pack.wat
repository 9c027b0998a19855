;; Packs and unpacks texts with a dictionary; pack.ts describes the format of a packed text.
;;
;; The dictionary is at address 0, directly followed by the text. Bytes are compared and copied eight at a time, so up
;; to seven bytes beyond a range are read and written.
;;
;; `heads` has an i32 per hash of four bytes: the last address with that hash, plus one. `before` has an i32 per
;; address from 0 on: the previous address with the same hash, plus one. 0 means none.
(module
  (memory (export "memory") 1)

  (global $heads (mut i32) (i32.const 0))
  (global $before (mut i32) (i32.const 0))
  ;; The distance of the copy that $longest found last, bytes.
  (global $distance (mut i32) (i32.const 0))

  ;; The address in `heads` for the hash of the four bytes at an address.
  (func $head (param $at i32) (result i32)
    (i32.add
      (global.get $heads)
      (i32.shl
        (i32.shr_u
          (i32.mul (i32.load align=1 (local.get $at)) (i32.const 0x9e3779b1))
          (i32.const 17))
        (i32.const 2))))

  (func $remember (param $at i32)
    (local $head i32)
    (local.set $head (call $head (local.get $at)))
    (i32.store
      (i32.add (global.get $before) (i32.shl (local.get $at) (i32.const 2)))
      (i32.load (local.get $head)))
    (i32.store (local.get $head) (i32.add (local.get $at) (i32.const 1))))

  ;; index(end, heads, before): enters every address of the dictionary into the hash table, whose heads must be zero.
  (func (export "index") (param $end i32) (param $heads i32) (param $before i32)
    (local $at i32)
    (global.set $heads (local.get $heads))
    (global.set $before (local.get $before))
    (block $done
      (loop $each_place
        (br_if $done (i32.gt_s (i32.add (local.get $at) (i32.const 4)) (local.get $end)))
        (call $remember (local.get $at))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $each_place))))

  ;; The length of the longest earlier match of the bytes at an address, not beyond `end`; 0 below four bytes.
  (func $longest (param $at i32) (param $end i32) (result i32)
    (local $place i32) (local $tries i32) (local $best i32) (local $length i32) (local $differs i64)
    (local $most i32)
    (local.set $most (i32.sub (local.get $end) (local.get $at)))
    (local.set $best (i32.const 3))
    (local.set $tries (i32.const 24))
    (local.set $place (i32.load (call $head (local.get $at))))
    (block $done
      (loop $each_candidate
        (br_if $done (i32.eqz (local.get $place)))
        (br_if $done (i32.eqz (local.get $tries)))
        (local.set $tries (i32.sub (local.get $tries) (i32.const 1)))
        (local.set $place (i32.sub (local.get $place) (i32.const 1)))
        (br_if $done
          (i32.gt_u (i32.sub (local.get $at) (local.get $place)) (i32.const 0xffff)))
        (block $no_better
          ;; A longer match must have the same byte where the best one so far ends.
          (br_if $no_better
            (i32.ne
              (i32.load8_u (i32.add (local.get $place) (local.get $best)))
              (i32.load8_u (i32.add (local.get $at) (local.get $best)))))
          (local.set $length (i32.const 0))
          (block $compared
            (loop $each_eight
              (local.set $differs
                (i64.xor
                  (i64.load align=1 (i32.add (local.get $place) (local.get $length)))
                  (i64.load align=1 (i32.add (local.get $at) (local.get $length)))))
              (if (i64.ne (local.get $differs) (i64.const 0))
                (then
                  (local.set $length
                    (i32.add
                      (local.get $length)
                      (i32.wrap_i64 (i64.shr_u (i64.ctz (local.get $differs)) (i64.const 3)))))
                  (br $compared)))
              (local.set $length (i32.add (local.get $length) (i32.const 8)))
              (br_if $each_eight (i32.lt_u (local.get $length) (local.get $most)))))
          (if (i32.gt_u (local.get $length) (local.get $most))
            (then (local.set $length (local.get $most))))
          (br_if $no_better (i32.le_u (local.get $length) (local.get $best)))
          (local.set $best (local.get $length))
          (global.set $distance (i32.sub (local.get $at) (local.get $place)))
          (br_if $done (i32.eq (local.get $best) (local.get $most))))
        (local.set $place
          (i32.load (i32.add (global.get $before) (i32.shl (local.get $place) (i32.const 2)))))
        (br $each_candidate)))
    (if (result i32) (i32.lt_u (local.get $best) (i32.const 4))
      (then (i32.const 0))
      (else (local.get $best))))

  ;; Writes the part of a number beyond the 15 in a sequence's first byte. Returns the address after it.
  (func $more (param $out i32) (param $value i32) (result i32)
    (block $done
      (loop $each_byte
        (br_if $done (i32.lt_u (local.get $value) (i32.const 255)))
        (i32.store8 (local.get $out) (i32.const 255))
        (local.set $out (i32.add (local.get $out) (i32.const 1)))
        (local.set $value (i32.sub (local.get $value) (i32.const 255)))
        (br $each_byte)))
    (i32.store8 (local.get $out) (local.get $value))
    (i32.add (local.get $out) (i32.const 1)))

  ;; Writes a sequence with the literals from `from` to `to` and a copy of `length` bytes; 0 = no copy.
  ;; Returns the address after it; 0 when there is no room.
  (func $sequence
    (param $out i32) (param $limit i32) (param $from i32) (param $to i32) (param $length i32) (result i32)
    (local $literals i32) (local $copied i32)
    (local.set $literals (i32.sub (local.get $to) (local.get $from)))
    (local.set $copied
      (select (i32.sub (local.get $length) (i32.const 4)) (i32.const 0) (local.get $length)))
    (if
      (i32.gt_u
        (i32.add
          (i32.add (local.get $literals) (i32.shr_u (local.get $literals) (i32.const 7)))
          (i32.add (i32.shr_u (local.get $copied) (i32.const 7)) (i32.const 8)))
        (i32.sub (local.get $limit) (local.get $out)))
      (then (return (i32.const 0))))
    (i32.store8
      (local.get $out)
      (i32.or
        (i32.shl
          (select (local.get $literals) (i32.const 15) (i32.lt_u (local.get $literals) (i32.const 15)))
          (i32.const 4))
        (select (local.get $copied) (i32.const 15) (i32.lt_u (local.get $copied) (i32.const 15)))))
    (local.set $out (i32.add (local.get $out) (i32.const 1)))
    (if (i32.ge_u (local.get $literals) (i32.const 15))
      (then
        (local.set $out
          (call $more (local.get $out) (i32.sub (local.get $literals) (i32.const 15))))))
    (memory.copy (local.get $out) (local.get $from) (local.get $literals))
    (local.set $out (i32.add (local.get $out) (local.get $literals)))
    (if (local.get $length)
      (then
        (i32.store16 align=1 (local.get $out) (global.get $distance))
        (local.set $out (i32.add (local.get $out) (i32.const 2)))
        (if (i32.ge_u (local.get $copied) (i32.const 15))
          (then
            (local.set $out
              (call $more (local.get $out) (i32.sub (local.get $copied) (i32.const 15))))))))
    (local.get $out))

  ;; pack(start, end, out, limit, heads, before)
  ;;   start, end   the text
  ;;   out, limit   the range for the sequences
  ;;   heads        of the dictionary; those of the text are added
  ;; Returns the address after the last sequence; 0 when the range is too small.
  (func (export "pack")
    (param $start i32) (param $end i32) (param $out i32) (param $limit i32) (param $heads i32)
    (param $before i32) (result i32)
    (local $at i32) (local $literals i32) (local $length i32) (local $next i32) (local $distance i32)
    (local $last i32) (local $misses i32) (local $stop i32)
    (global.set $heads (local.get $heads))
    (global.set $before (local.get $before))
    (local.set $at (local.get $start))
    (local.set $literals (local.get $start))
    (local.set $last (i32.sub (local.get $end) (i32.const 4)))
    (block $done
      (loop $each_place
        (br_if $done (i32.gt_s (local.get $at) (local.get $last)))
        (local.set $length (call $longest (local.get $at) (local.get $end)))
        (call $remember (local.get $at))
        (if (i32.eqz (local.get $length))
          (then
            ;; After many bytes without a copy, as in encoded data, bytes are skipped in growing steps.
            (local.set $at
              (i32.add
                (i32.add (local.get $at) (i32.const 1))
                (i32.shr_u (local.get $misses) (i32.const 6))))
            (local.set $misses (i32.add (local.get $misses) (i32.const 1)))
            (br $each_place)))
        (local.set $misses (i32.const 0))
        ;; A longer copy may begin at the next byte.
        (block $taken
          (loop $each_next
            (br_if $taken (i32.ge_u (local.get $length) (i32.const 32)))
            (br_if $taken (i32.ge_s (local.get $at) (local.get $last)))
            (local.set $distance (global.get $distance))
            (local.set $next (call $longest (i32.add (local.get $at) (i32.const 1)) (local.get $end)))
            (if (i32.le_u (local.get $next) (i32.add (local.get $length) (i32.const 1)))
              (then
                (global.set $distance (local.get $distance))
                (br $taken)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (call $remember (local.get $at))
            (local.set $length (local.get $next))
            (br $each_next)))
        (local.set $out
          (call $sequence
            (local.get $out) (local.get $limit) (local.get $literals) (local.get $at) (local.get $length)))
        (if (i32.eqz (local.get $out)) (then (return (i32.const 0))))
        (local.set $stop (i32.add (local.get $at) (local.get $length)))
        (block $remembered
          (loop $each_inside
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br_if $remembered (i32.ge_u (local.get $at) (local.get $stop)))
            (br_if $remembered (i32.gt_s (local.get $at) (local.get $last)))
            (call $remember (local.get $at))
            (br $each_inside)))
        (local.set $at (local.get $stop))
        (local.set $literals (local.get $stop))
        (br $each_place)))
    (call $sequence
      (local.get $out) (local.get $limit) (local.get $literals) (local.get $end) (i32.const 0)))

  ;; Reads the part of a number beyond 15 at `from` and sets $from to the address after it; -1 when it is incomplete.
  (global $from (mut i32) (i32.const 0))
  (func $read_more (param $from i32) (param $from_end i32) (result i32)
    (local $value i32) (local $byte i32)
    (loop $each_byte
      (if (i32.ge_u (local.get $from) (local.get $from_end)) (then (return (i32.const -1))))
      (local.set $byte (i32.load8_u (local.get $from)))
      (local.set $from (i32.add (local.get $from) (i32.const 1)))
      (local.set $value (i32.add (local.get $value) (local.get $byte)))
      (br_if $each_byte (i32.eq (local.get $byte) (i32.const 255))))
    (global.set $from (local.get $from))
    (local.get $value))

  ;; unpack(from, from_end, to, to_end)
  ;;   from, from_end  the sequences
  ;;   to, to_end      the range for the text
  ;; Returns the address after the last byte written; 0 when the sequences are invalid.
  (func (export "unpack")
    (param $from i32) (param $from_end i32) (param $to i32) (param $to_end i32) (result i32)
    (local $token i32) (local $length i32) (local $more i32) (local $distance i32)
    (local $source i32) (local $target i32)
    (loop $each_sequence
      (if (i32.ge_u (local.get $from) (local.get $from_end)) (then (return (local.get $to))))
      (local.set $token (i32.load8_u (local.get $from)))
      (local.set $from (i32.add (local.get $from) (i32.const 1)))

      (local.set $length (i32.shr_u (local.get $token) (i32.const 4)))
      (if (i32.eq (local.get $length) (i32.const 15))
        (then
          (local.set $more (call $read_more (local.get $from) (local.get $from_end)))
          (if (i32.lt_s (local.get $more) (i32.const 0)) (then (return (i32.const 0))))
          (local.set $length (i32.add (local.get $length) (local.get $more)))
          (local.set $from (global.get $from))))
      (if
        (i32.or
          (i32.gt_u (local.get $length) (i32.sub (local.get $from_end) (local.get $from)))
          (i32.gt_u (local.get $length) (i32.sub (local.get $to_end) (local.get $to))))
        (then (return (i32.const 0))))
      (local.set $target (local.get $to))
      (local.set $source (local.get $from))
      (local.set $to (i32.add (local.get $to) (local.get $length)))
      (local.set $from (i32.add (local.get $from) (local.get $length)))
      (loop $each_eight
        (i64.store align=1 (local.get $target) (i64.load align=1 (local.get $source)))
        (local.set $target (i32.add (local.get $target) (i32.const 8)))
        (local.set $source (i32.add (local.get $source) (i32.const 8)))
        (br_if $each_eight (i32.lt_u (local.get $target) (local.get $to))))
      (if (i32.ge_u (local.get $from) (local.get $from_end)) (then (return (local.get $to))))

      (local.set $distance (i32.load16_u align=1 (local.get $from)))
      (local.set $from (i32.add (local.get $from) (i32.const 2)))
      (local.set $length (i32.and (local.get $token) (i32.const 15)))
      (if (i32.eq (local.get $length) (i32.const 15))
        (then
          (local.set $more (call $read_more (local.get $from) (local.get $from_end)))
          (if (i32.lt_s (local.get $more) (i32.const 0)) (then (return (i32.const 0))))
          (local.set $length (i32.add (local.get $length) (local.get $more)))
          (local.set $from (global.get $from))))
      (local.set $length (i32.add (local.get $length) (i32.const 4)))
      (if
        (i32.or
          (i32.or
            (i32.eqz (local.get $distance))
            (i32.gt_u (local.get $distance) (local.get $to)))
          (i32.gt_u (local.get $length) (i32.sub (local.get $to_end) (local.get $to))))
        (then (return (i32.const 0))))
      (local.set $target (local.get $to))
      (local.set $source (i32.sub (local.get $to) (local.get $distance)))
      (local.set $to (i32.add (local.get $to) (local.get $length)))
      (if (i32.ge_u (local.get $distance) (i32.const 8))
        (then
          (loop $each_eight
            (i64.store align=1 (local.get $target) (i64.load align=1 (local.get $source)))
            (local.set $target (i32.add (local.get $target) (i32.const 8)))
            (local.set $source (i32.add (local.get $source) (i32.const 8)))
            (br_if $each_eight (i32.lt_u (local.get $target) (local.get $to)))))
        (else
          ;; The source overlaps the target, so bytes are copied one at a time.
          (loop $each_one
            (i32.store8 (local.get $target) (i32.load8_u (local.get $source)))
            (local.set $target (i32.add (local.get $target) (i32.const 1)))
            (local.set $source (i32.add (local.get $source) (i32.const 1)))
            (br_if $each_one (i32.lt_u (local.get $target) (local.get $to))))))
      (br $each_sequence))
    unreachable))
