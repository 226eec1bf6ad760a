(** Causal mechanisms, their paired simulation, and independently decomposable cores. *)
From Coq Require Import QArith Qminmax List Lqa Bool.
From Dpcert Require Import Sums Games Chains.
Import ListNotations.
Open Scope Q_scope.

(** A mechanism is the law of its outputs given its inputs: [M xs ys] is the probability of the outputs [ys] on the
    inputs [xs], both newest first and equally long.  How its rounds share randomness is left open. *)
Definition mechanism (X Y : Type) := list X -> list Y -> Q.

Definition hockey_stick (l : list (Q * Q)) (a b : Q) : Q := sum (fun k => plus (b * snd k - a * fst k)) l.

Section Paired.
Context {X Y : Type} (outputs : list Y) (neighbours : list X -> list X -> bool).

(** Definition "paired simulation": in world 0 the mechanism reads the first of the two streams that the adversary
    writes, in world 1 the second; the simulation ends when they are no longer neighbours. *)
Definition paired (M : mechanism X Y) : game := {|
  position := list X * list X * list Y;
  move := X * X;
  visible := Y;
  step := fun v m =>
    let '(x0, x1, ys) := v in
    if neighbours (fst m :: x0) (snd m :: x1)
    then Some (map (fun y => (y, (fst m :: x0, snd m :: x1, y :: ys))) outputs) else None;
  likelihood := fun w v => let '(x0, x1, ys) := v in M (match w with O => x0 | _ => x1 end) ys |}.

Definition init : list X * list X * list Y := ([], [], []).

Fixpoint tuples (n : nat) : list (list Y) :=
  match n with O => [[]] | S k => flat_map (fun y => map (cons y) (tuples k)) outputs end.

(** The pair of transcript laws on two fixed streams; its [hockey_stick] at (a, b) is what the best test makes of it. *)
Definition fixed (M : mechanism X Y) (x0 x1 : list X) : list (Q * Q) :=
  map (fun ys => (M x0 ys, M x1 ys)) (tuples (length x0)).

Lemma fixed_best_test M x0 x1 a b :
  (forall phi, (forall ys, 0 <= phi ys <= 1) ->
     b * sum (fun ys => phi ys * M x1 ys) (tuples (length x0))
     - a * sum (fun ys => phi ys * M x0 ys) (tuples (length x0)) <= hockey_stick (fixed M x0 x1) a b) /\
  (exists phi, (forall ys, 0 <= phi ys <= 1) /\
     b * sum (fun ys => phi ys * M x1 ys) (tuples (length x0))
     - a * sum (fun ys => phi ys * M x0 ys) (tuples (length x0)) == hockey_stick (fixed M x0 x1) a b).
Proof.
  assert (forall phi : list Y -> Q,
     b * sum (fun ys => phi ys * M x1 ys) (tuples (length x0))
     - a * sum (fun ys => phi ys * M x0 ys) (tuples (length x0)) ==
     sum (fun ys => phi ys * (b * M x1 ys - a * M x0 ys)) (tuples (length x0))) as E.
  { intros phi. rewrite <- !sum_scale, <- sum_minus. apply sum_ext. intros; lra. }
  unfold hockey_stick, fixed. split.
  - intros phi T. rewrite E, sum_map. apply sum_le. intros ys _. simpl.
    specialize (T ys). pose proof (plus_above (b * M x1 ys - a * M x0 ys)).
    pose proof (plus_nonneg (b * M x1 ys - a * M x0 ys)). nra.
  - exists (fun ys => if Qle_bool 0 (b * M x1 ys - a * M x0 ys) then 1 else 0). split.
    + intros ys. destruct (Qle_bool _ _); lra.
    + rewrite E, sum_map. apply sum_ext. intros ys _. simpl. unfold plus.
      destruct (Qle_bool 0 (b * M x1 ys - a * M x0 ys)) eqn:C.
      * apply Qle_bool_iff in C. rewrite (Q.max_r _ _ C). lra.
      * rewrite Q.max_l; [lra|]. apply Qnot_lt_le. intros H.
        assert (Qle_bool 0 (b * M x1 ys - a * M x0 ys) = true) by (apply Qle_bool_iff; lra). congruence.
Qed.

(** ** Cores: fresh randomness in every round *)

Context (law : list X -> Y -> Q).

(** [law (x :: past)] is the law of the output on the input [x] after the inputs [past]. *)
Fixpoint core (xs : list X) (ys : list Y) : Q :=
  match xs, ys with
  | [], [] => 1
  | x :: xs', y :: ys' => core xs' ys' * law xs y
  | _, _ => 0
  end.

Definition round (x0 x1 : list X) : list (Q * Q) := map (fun y => (law x0 y, law x1 y)) outputs.

Hypothesis law_nonneg : forall xs y, 0 <= law xs y.
Hypothesis law_total : forall xs, sum (law xs) outputs == 1.

Lemma core_nonneg xs : forall ys, 0 <= core xs ys.
Proof.
  induction xs as [|x xs IH]; intros [|y ys]; simpl; try lra.
  specialize (IH ys). specialize (law_nonneg (x :: xs) y). nra.
Qed.

(** Probability in the paired simulation of a core adds up. *)
Lemma core_probability_total (A : adversary (paired core)) n w : probability A n init (fun _ => 1) w == 1.
Proof.
  transitivity (likelihood (paired core) w init); [|destruct w; reflexivity].
  apply (probability_total A (fun _ _ => True)); [|exact I].
  intros k [[x0 x1] ys] [i0 i1] os _. simpl. destruct (neighbours _ _); [|discriminate]. intros [= <-].
  split; [trivial|]. rewrite sum_map. destruct w; simpl; rewrite sum_scale, law_total; lra.
Qed.

Lemma fixed_cons i0 i1 x0 x1 a b : length x0 = length x1 ->
  hockey_stick (fixed core (i0 :: x0) (i1 :: x1)) a b ==
  sum (fun k => hockey_stick (fixed core x0 x1) (a * fst k) (b * snd k)) (round (i0 :: x0) (i1 :: x1)).
Proof.
  intros L. unfold hockey_stick, fixed, round. simpl length. simpl tuples.
  rewrite !sum_map, sum_flat_map. apply sum_ext. intros y _.
  rewrite !sum_map. apply sum_ext. intros ys _. simpl. apply plus_compat. lra.
Qed.

(** ** A certificate for all adaptive adversaries against a core *)

(** [cert n x0 x1]: the chain at the prefixes [x0], [x1] with [n] rounds left.  [moves] lists all pairs of inputs. *)
Context (cert : nat -> list X -> list X -> chain) (moves : list (X * X)).

Definition branches n x0 x1 : outcomes := map (fun y => ((law x0 y, law x1 y), cert n x0 x1)) outputs.

Fixpoint check_core (n : nat) (x0 x1 : list X) : bool :=
  dominated hinge (cert n x0 x1) &&
  match n with
  | O => true
  | S k => forallb (fun m =>
      let y0 := fst m :: x0 in let y1 := snd m :: x1 in
      negb (neighbours y0 y1) || (dominated (after (branches k y0 y1)) (cert n x0 x1) && check_core k y0 y1)) moves
  end.

Theorem check_core_sound : (forall m, In m moves) ->
  forall n, check_core n [] [] = true ->
  forall (A : adversary (paired core)) phi, is_test A phi -> forall a b, 0 <= a -> 0 <= b ->
  b * probability A n init phi 1 - a * probability A n init phi 0 <= value (cert n [] []) a b.
Proof.
  intros All n H A phi T a b Ha Hb.
  assert (value (cert n [] []) a b = value (cert n [] []) (a * 1) (b * 1)) as -> by now rewrite !Qmult_1_r_eq.
  apply (potential_probability A
    (fun n v => check_core n (fst (fst v)) (snd (fst v)) = true)
    (fun n v => let '(x0, x1, ys) := v in value (cert n x0 x1) (a * core x0 ys) (b * core x1 ys))); simpl; auto.
  - intros k [[x0 x1] ys] _. apply value_nonneg.
  - intros k [[x0 x1] ys] C. simpl in C.
    assert (dominated hinge (cert k x0 x1) = true) as D by (destruct k; now apply andb_true_iff in C).
    apply (dominated_sound _ _ hinge_supported D).
    + pose proof (core_nonneg x0 ys). nra.
    + pose proof (core_nonneg x1 ys). nra.
  - intros k [[x0 x1] ys] [i0 i1] os C. simpl in *.
    destruct (neighbours (i0 :: x0) (i1 :: x1)) eqn:Nb; [|discriminate]. intros [= <-].
    apply andb_true_iff in C as [_ C]. rewrite forallb_forall in C.
    specialize (C (i0, i1) (All _)). simpl in C. rewrite Nb in C. apply andb_true_iff in C as [D C]. split.
    + intros o Io. apply in_map_iff in Io as [y [<- _]]. exact C.
    + rewrite sum_map. eapply Qle_trans; [|apply (dominated_sound _ _ (after_supported _) D)].
      * unfold after, branches. rewrite sum_map. apply sum_le. intros y _. simpl. rewrite !Qmult_assoc_eq. lra.
      * pose proof (core_nonneg x0 ys). nra.
      * pose proof (core_nonneg x1 ys). nra.
Qed.
End Paired.

(** Hamming neighbours: equally long, different in at most one place. *)
Section Hamming.
Context {X : Type} (eqX : forall x y : X, {x = y} + {x <> y}).

Fixpoint hamming (x0 x1 : list X) : bool :=
  match x0, x1 with
  | [], [] => true
  | i :: r, j :: s => if eqX i j then hamming r s else if list_eq_dec eqX r s then true else false
  | _, _ => false
  end.

Lemma hamming_refl x : hamming x x = true.
Proof. induction x as [|i r IH]; simpl; trivial. now destruct (eqX i i). Qed.

Lemma hamming_spec x0 x1 : hamming x0 x1 = true ->
  x0 = x1 \/ exists later i j past, i <> j /\ x0 = later ++ i :: past /\ x1 = later ++ j :: past.
Proof.
  revert x1. induction x0 as [|i r IH]; intros [|j s]; simpl; try discriminate; auto.
  destruct (eqX i j) as [->|Ne].
  - intros H. destruct (IH s H) as [->|(l & p & q & t & N & -> & ->)]; auto.
    right. now exists (j :: l), p, q, t.
  - destruct (list_eq_dec eqX r s) as [->|]; [|discriminate]. intros _. right. now exists [], i, j, s.
Qed.

Lemma hamming_at later i j past : hamming (later ++ i :: past) (later ++ j :: past) = true.
Proof.
  induction later as [|k l IH]; simpl.
  - destruct (eqX i j); [apply hamming_refl|]. now destruct (list_eq_dec eqX past past).
  - now destruct (eqX k k).
Qed.
End Hamming.
