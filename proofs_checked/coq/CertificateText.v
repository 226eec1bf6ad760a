(** Certificates as compact text: lines of whole numbers in base 16.  Coq's own syntax for data takes minutes where
    this takes a second; nothing here needs a proof, for the theorem speaks of what was read.

    - [1 curve mass0 mass1 ...]: a curve, segment by segment
    - [2 position curve]: a position with its claimed curve
    - [3 seen weight0 weight1 next ...]: what a pair of inputs may lead to from the position above; next 0: over
    - [4 plan position option answer ...]: answers 0 (reject), 1 (accept), p + 1 (go on with plan p)
    - [5 fixed slope reversed upper lower plan front]: a claim; rationals as two numbers, plan or front 0: none
    - [6 position]: the root
    - [7 front count position ... curve ...]: so many positions, and rows of a curve for each
    - [8 front row ...]: for the next option of the front above, what follows (0: nothing), and which rows bound it *)
From Coq Require Import QArith ZArith List Bool FMapPositive.
From Coq.Strings Require Import Byte.
From Dpcert Require Import PairedSimulation Tensor PositionCheck PlanCheck FrontCheck CertificateCheck.
Import ListNotations.
Open Scope Z_scope.

Inductive line := Line (bytes : list byte).
Definition bytes_of (l : line) : list byte := match l with Line b => b end.

Declare Scope line_scope.
Delimit Scope line_scope with line.
String Notation line Line bytes_of : line_scope.

Definition digit (b : byte) : option Z :=
  match b with
  | "0" => Some 0 | "1" => Some 1 | "2" => Some 2 | "3" => Some 3 | "4" => Some 4 | "5" => Some 5 | "6" => Some 6
  | "7" => Some 7 | "8" => Some 8 | "9" => Some 9 | "a" => Some 10 | "b" => Some 11 | "c" => Some 12 | "d" => Some 13
  | "e" => Some 14 | "f" => Some 15 | _ => None
  end%byte.

(** The numbers of a line, last first; [at_] is the one being read. *)
Fixpoint numbers (bytes : list byte) (at_ : Z) (found : list Z) : option (list Z) :=
  match bytes with
  | [] => Some (at_ :: found)
  | b :: r =>
    match digit b with
    | Some d => numbers r (16 * at_ + d) found
    | None => match b with " "%byte => numbers r 0 (at_ :: found) | _ => None end
    end
  end.

Definition read_line (l : line) : option (list Z) := option_map (@rev Z) (numbers (bytes_of l) 0 []).

Fixpoint all {A : Type} (l : list (option A)) : option (list A) :=
  match l with
  | [] => Some []
  | Some x :: r => option_map (cons x) (all r)
  | None :: _ => None
  end.

Fixpoint segments (l : list Z) : option pairs :=
  match l with
  | [] => Some []
  | m0 :: m1 :: r => option_map (cons (inject_Z m0, inject_Z m1)) (segments r)
  | _ => None
  end.

Definition key (z : Z) : option positive := match z with Zpos p => Some p | _ => None end.

Fixpoint outcomes_of (l : list Z) : option (list outcome) :=
  match l with
  | [] => Some []
  | y :: k0 :: k1 :: next :: r => option_map (cons ((y, (inject_Z k0, inject_Z k1)), key next)) (outcomes_of r)
  | _ => None
  end.

Definition answer_of (z : Z) : answer :=
  match z with Z0 => Bet false | Zpos xH => Bet true | Zpos p => GoOn (Pos.pred p) | Zneg _ => Bet false end.

Definition rational (n d : Z) : Q := match d with Zpos p => n # p | _ => 0 end.

(** Rows of so many curves each. *)
Fixpoint rows_of (curves : PositiveMap.t pairs) (fuel width : nat) (l : list Z) : option (list (list pairs)) :=
  match fuel, l with
  | _, [] => Some []
  | O, _ => None
  | S f, _ =>
    let row := all (map (fun z => match z with Zpos c => PositiveMap.find c curves | _ => None end) (firstn width l)) in
    match row, rows_of curves f width (skipn width l) with
    | Some r, Some rs => if Nat.eqb (length r) width then Some (r :: rs) else None
    | _, _ => None
    end
  end.

(** What was read of the lines after this one: options without their position yet, answers without their front, and the
    rest. *)
Record reading := { pending : list (list outcome); answering : list (option positive * list nat); so_far : certificate }.

Definition curves_of (lines : list (list Z)) : option (PositiveMap.t pairs) :=
  fold_left (fun known l =>
    match known, l with
    | Some m, 1 :: Zpos k :: masses => option_map (fun c => PositiveMap.add k c m) (segments masses)
    | _, _ => known
    end) lines (Some (PositiveMap.empty _)).

Definition with_line (curves : PositiveMap.t pairs) (l : list Z) (after : option reading) : option reading :=
  match after with
  | None => None
  | Some {| pending := os; answering := bys; so_far := c |} =>
    let next os bys c := Some {| pending := os; answering := bys; so_far := c |} in
    match l with
    | 1 :: _ => after
    | [2; Zpos k; Zpos C] =>
      match PositiveMap.find C curves with
      | Some C => next [] bys {| positions := (k, {| curve := C; options := os |}) :: positions c; root := root c;
                                 plans := plans c; kept := kept c; claims := claims c |}
      | None => None
      end
    | 3 :: o => match outcomes_of o with Some x => next (x :: os) bys c | None => None end
    | 4 :: Zpos k :: Zpos v :: m :: answers =>
      let p := {| plan_at := v; plan_option := Z.to_nat m; plan_answers := map answer_of answers |} in
      next os bys {| positions := positions c; root := root c; plans := (k, p) :: plans c; kept := kept c;
                     claims := claims c |}
    | [5; fixed; en; ed; rev; un; ud; ln; ld; by_; front] =>
      let k := {| on_fixed := negb (fixed =? 0); slope := rational en ed; reversed := negb (rev =? 0);
                  upper := rational un ud; lower := rational ln ld; attained_by := key by_; by_front := key front |} in
      next os bys {| positions := positions c; root := root c; plans := plans c; kept := kept c;
                     claims := k :: claims c |}
    | [6; Zpos k] =>
      next os bys {| positions := positions c; root := k; plans := plans c; kept := kept c; claims := claims c |}
    | 7 :: Zpos k :: count :: r =>
      let width := Z.to_nat count in
      match all (map key (firstn width r)), rows_of curves (length r) width (skipn width r) with
      | Some ks, Some rs =>
        next os [] {| positions := positions c; root := root c; plans := plans c; claims := claims c;
                      kept := (k, {| front_at := ks; rows := rs; by_row := bys |}) :: kept c |}
      | _, _ => None
      end
    | 8 :: g :: ats => next os ((key g, map Z.to_nat ats) :: bys) c
    | _ => None
    end
  end.

Definition read (text : list line) : option certificate :=
  match all (map read_line text) with
  | None => None
  | Some lines =>
    match curves_of lines with
    | None => None
    | Some curves =>
      match fold_right (with_line curves)
        (Some {| pending := []; answering := [];
                 so_far := {| positions := []; root := xH; plans := []; kept := []; claims := [] |} |}) lines with
      | Some {| pending := []; answering := []; so_far := c |} => Some c
      | _ => None
      end
    end
  end.

(** The answer to a text: unreadable text is refused. *)
Definition verdict (text : list line) : bool := match read text with Some c => check c | None => false end.

Theorem verdict_sound (text : list line) : verdict text = true -> exists c, read text = Some c /\ check c = true.
Proof. unfold verdict. destruct (read text) as [c|]; [|discriminate]. intros H. now exists c. Qed.
