(** When a guarantee for fixed streams holds for adaptive adversaries. *)
From Coq Require Import QArith List Lqa Bool Arith Lia.
From Dpcert Require Import Sums Games Chains PairedSimulation Tensor.
Import ListNotations.
Open Scope Q_scope.

Section Lift.
Context {X Y : Type} (eqX : forall x y : X, {x = y} + {x <> y}) (outputs : list Y) (law : list X -> Y -> Q).
Hypothesis law_nonneg : forall xs y, 0 <= law xs y.
Hypothesis law_total : forall xs, sum (law xs) outputs == 1.

Notation neighbours := (hamming eqX).
Notation G := (paired outputs neighbours (core law)).
Notation round := (round outputs law).

(** The challenge in a pair of neighbouring streams: the inputs before it, its two inputs, the rounds since. *)
Fixpoint challenge (x0 x1 : list X) : option (list X * X * X * nat) :=
  match x0, x1 with
  | i :: r, j :: s =>
    if eqX i j then match challenge r s with Some (past, p, q, k) => Some (past, p, q, S k) | None => None end
    else Some (r, i, j, O)
  | _, _ => None
  end.

Lemma challenge_none x0 x1 : hamming eqX x0 x1 = true -> challenge x0 x1 = None -> x0 = x1.
Proof.
  revert x1. induction x0 as [|i r IH]; intros [|j s]; simpl; try discriminate; trivial.
  destruct (eqX i j) as [->|]; [|discriminate].
  intros H. destruct (challenge r s) as [[[[? ?] ?] ?]|] eqn:E; [discriminate|]. intros _. f_equal. now apply IH.
Qed.

Lemma challenge_some x0 x1 past i j k : hamming eqX x0 x1 = true -> challenge x0 x1 = Some (past, i, j, k) ->
  i <> j /\ exists later, length later = k /\ x0 = later ++ i :: past /\ x1 = later ++ j :: past.
Proof.
  revert x1 k. induction x0 as [|i' r IH]; intros [|j' s] k; simpl; try discriminate.
  destruct (eqX i' j') as [->|Ne].
  - intros H. destruct (challenge r s) as [[[[p q] t] m]|] eqn:E; [|discriminate]. intros [= -> -> -> <-].
    destruct (IH s m H E) as (Ne & l & <- & -> & ->). split; trivial. now exists (j' :: l).
  - destruct (list_eq_dec eqX r s) as [->|]; [|discriminate]. intros _ [= -> -> -> <-]. split; trivial. now exists [].
Qed.

Lemma challenge_same x : challenge x x = None.
Proof. induction x as [|i r IH]; simpl; trivial. destruct (eqX i i); [now rewrite IH|easy]. Qed.

Lemma round_laws x0 x1 : laws (round x0 x1).
Proof.
  unfold PairedSimulation.round. repeat split; try (rewrite sum_map; apply law_total).
  - apply in_map_iff in H as [y [<- _]]. apply law_nonneg.
  - apply in_map_iff in H as [y [<- _]]. apply law_nonneg.
Qed.

(** ** Domination by reference pairs *)

(** [ref past i j k] is the reference for the [k]-th round after the challenge (i, j) on the common inputs [past]. *)
Context (ref : list X -> X -> X -> nat -> pairs).
Definition refs past i j k n : list pairs := map (ref past i j) (seq k n).

Hypothesis ref_laws : forall past i j k, laws (ref past i j k).
Hypothesis ref_dominates : forall past i j later, i <> j ->
  at_most (round (later ++ i :: past) (later ++ j :: past)) (ref past i j (length later)).

Theorem dominated_lift (T : nat) (a b B : Q) : 0 <= a -> 0 <= b -> 0 <= B -> b - a <= B ->
  (forall past i j n, i <> j -> (length past + S n = T)%nat ->
      hockey_stick (tensor (refs past i j 0 (S n))) a b <= B) ->
  forall (A : adversary G) phi, is_test A phi ->
  b * probability A T init phi 1 - a * probability A T init phi 0 <= B.
Proof.
  intros Ha Hb HB Stop Bound A phi Hphi.
  set (P := fun (n : nat) (v : position G) => let '(x0, x1, ys) := v in
    match challenge x0 x1 with
    | None => B * core law x0 ys
    | Some (past, i, j, k) =>
      hockey_stick (tensor (refs past i j (S k) n)) (a * core law x0 ys) (b * core law x1 ys)
    end).
  set (I := fun (n : nat) (v : position G) => let '(x0, x1, ys) := v in
    (length x0 + n = T)%nat /\ hamming eqX x0 x1 = true).
  assert (forall past i j k n, laws (tensor (refs past i j k n))) as Laws.
  { intros. apply tensor_laws. intros R HR. apply in_map_iff in HR as [m [<- _]]. apply ref_laws. }
  assert (forall xs ys, 0 <= core law xs ys) as CN by (apply core_nonneg, law_nonneg).
  assert (forall n past i j k later x0 x1 ys, i <> j -> length later = k ->
    x0 = later ++ i :: past -> x1 = later ++ j :: past -> forall a' b', 0 <= a' -> 0 <= b' ->
    sum (fun y => hockey_stick (tensor (refs past i j (S k) n)) (a' * (core law (tl x0) ys * law x0 y))
                         (b' * (core law (tl x1) ys * law x1 y))) outputs
    <= hockey_stick (tensor (refs past i j k (S n))) (a' * core law (tl x0) ys) (b' * core law (tl x1) ys)) as Round.
  { intros n past i j k later x0 x1 ys Ne Lk E0 E1 a' b' Ha' Hb'.
    change (refs past i j k (S n)) with (ref past i j k :: refs past i j (S k) n). rewrite tensor_cons.
    eapply Qle_trans; [|apply (replace_round (round x0 x1))].
    - unfold PairedSimulation.round. rewrite sum_map. simpl. apply sum_le. intros y _.
      rewrite (hockey_stick_compat _ _ (a' * core law (tl x0) ys * law x0 y) _ (b' * core law (tl x1) ys * law x1 y));
          lra.
    - apply (Laws past i j (S k) n).
    - subst. apply ref_dominates, Ne.
    - specialize (CN (tl x0) ys). nra.
    - specialize (CN (tl x1) ys). nra. }
  assert (P T init == B) as <- by (unfold P; simpl; lra).
  apply (potential_probability A I P); trivial.
  - intros n [[x0 x1] ys] _. unfold P. destruct (challenge x0 x1) as [[[[past i] j] k]|].
    + apply hockey_stick_nonneg.
    + specialize (CN x0 ys). nra.
  - intros n [[x0 x1] ys] [_ H]. unfold P. simpl. destruct (challenge x0 x1) as [[[[past i] j] k]|] eqn:E.
    + apply hockey_stick_above, Laws.
    + rewrite <- (challenge_none x0 x1 H E). specialize (CN x0 ys). nra.
  - intros n [[x0 x1] ys] [i j] os [Len H].
    change (step G (x0, x1, ys) (i, j)) with
      (if hamming eqX (i :: x0) (j :: x1) then Some (map (fun y => (y, (i :: x0, j :: x1, y :: ys))) outputs) else
          None).
    destruct (hamming eqX (i :: x0) (j :: x1)) eqn:H'; [|discriminate]. intros [= <-]. split.
    + intros o Io. apply in_map_iff in Io as [y [<- _]]. unfold I. simpl fst. simpl snd. split; [simpl; lia|exact H'].
    + rewrite sum_map. unfold P. simpl snd. cbn [challenge]. cbn [hamming] in H'.
      destruct (eqX i j) as [<-|Ne].
      * destruct (challenge x0 x1) as [[[[past p] q] k]|] eqn:E.
        -- destruct (challenge_some _ _ _ _ _ _ H E) as (Ne & later & Lk & E0 & E1).
           simpl core. apply (Round n past p q (S k) (i :: later) (i :: x0) (i :: x1)); simpl; trivial; try congruence.
        -- simpl core. rewrite sum_scale, sum_scale, law_total. lra.
      * destruct (list_eq_dec eqX x0 x1) as [<-|]; [|discriminate]. rewrite challenge_same.
        eapply Qle_trans; [apply (Round n x0 i j O [] (i :: x0) (j :: x0)); trivial|]. simpl tl.
        rewrite (hockey_stick_compat _ _ (core law x0 ys * a) _ (core law x0 ys * b)) by lra.
        rewrite hockey_stick_scale by apply CN. rewrite (Qmult_comm B).
        specialize (Bound x0 i j n Ne Len). specialize (CN x0 ys). nra.
  - unfold I, init. simpl. auto.
Qed.
End Lift.

Section Stable.
Context {X Y : Type} (eqX : forall x y : X, {x = y} + {x <> y}) (outputs : list Y) (law : list X -> Y -> Q).
Hypothesis law_nonneg : forall xs y, 0 <= law xs y.
Hypothesis law_total : forall xs, sum (law xs) outputs == 1.
Notation neighbours := (hamming eqX).
Notation G := (paired outputs neighbours (core law)).
Notation round := (round outputs law).

(** The curve of a round does not depend on the common inputs after the challenge.  (The challenge is at
    [length later] rounds before the round, and everything before it is fixed.) *)
Definition future_stable : Prop := forall past i j later later', length later = length later' ->
  at_most (round (later ++ i :: past) (later ++ j :: past)) (round (later' ++ i :: past) (later' ++ j :: past)).

(** ... nor on those before it. *)
Definition context_stable : Prop := forall past past' i j later later',
  length past = length past' -> length later = length later' ->
  at_most (round (later ++ i :: past) (later ++ j :: past)) (round (later' ++ i :: past') (later' ++ j :: past')).

Lemma context_future : context_stable -> future_stable.
Proof. intros H past i j later later'. now apply H. Qed.

Lemma core_tuples x : sum (core law x) (tuples outputs (length x)) == 1.
Proof.
  induction x as [|i x IH]; simpl; [lra|]. rewrite sum_flat_map.
  rewrite <- (law_total (i :: x)). apply sum_ext. intros y _. rewrite sum_map. simpl.
  transitivity (sum (fun ys => law (i :: x) y * core law x ys) (tuples outputs (length x))).
  - apply sum_ext. intros; lra.
  - rewrite sum_scale, IH. lra.
Qed.

Lemma fixed_same x a b : hockey_stick (fixed outputs (core law) x x) a b == plus (b - a).
Proof.
  unfold hockey_stick, fixed. rewrite sum_map. simpl.
  transitivity (sum (fun ys => plus (b - a) * core law x ys) (tuples outputs (length x))).
  - apply sum_ext. intros ys _. rewrite (Qmult_comm (plus _)), <- plus_scale by (apply core_nonneg, law_nonneg).
    apply plus_compat. lra.
  - rewrite sum_scale, core_tuples. lra.
Qed.

(** The transcript of two fixed streams with one challenge, as a tensor product of rounds. *)
Lemma fixed_tensor d past i j n a b :
  hockey_stick (fixed outputs (core law) (repeat d n ++ i :: past) (repeat d n ++ j :: past)) a b ==
  hockey_stick (tensor (map (fun k => round (repeat d k ++ i :: past) (repeat d k ++ j :: past)) (seq 0 (S n)))) a b.
Proof.
  revert a b. induction n as [|n IH]; intros a b.
  - simpl repeat. simpl app. rewrite fixed_cons by trivial. simpl seq. simpl map. rewrite tensor_cons.
    apply sum_ext. intros z _. now rewrite fixed_same, tensor_nil.
  - rewrite seq_S, map_app. cbn [map]. rewrite tensor_snoc.
    cbn [repeat]. rewrite <- !app_comm_cons, fixed_cons by (rewrite !app_length; reflexivity).
    apply sum_ext. intros z _. apply IH.
Qed.

(** thm:noise-ind-DP slope by slope, and from stability towards later inputs alone: whatever bounds the
    fixed streams of length [T] at (a, b) bounds every adaptive adversary at (a, b). *)
Theorem future_stable_lift : future_stable -> forall (T : nat) (d : X) (a b B : Q), 0 <= a -> 0 <= b ->
  (forall x0 x1, length x0 = T -> hamming eqX x0 x1 = true -> hockey_stick (fixed outputs (core law) x0 x1) a b <= B) ->
  forall (A : adversary G) phi, is_test A phi ->
  b * probability A T init phi 1 - a * probability A T init phi 0 <= B.
Proof.
  intros Stable T d a b B Ha Hb NA A phi Hphi.
  assert (plus (b - a) <= B) as S.
  { rewrite <- (fixed_same (repeat d T)). apply NA; [apply repeat_length|apply hamming_refl]. }
  apply (dominated_lift eqX outputs law law_nonneg law_total
    (fun past i j k => round (repeat d k ++ i :: past) (repeat d k ++ j :: past))); trivial.
  - intros. apply round_laws; trivial.
  - intros past i j later _. apply Stable. now rewrite repeat_length.
  - eapply Qle_trans; [apply plus_nonneg|exact S].
  - eapply Qle_trans; [apply plus_above|exact S].
  - intros past i j n _ Len. unfold refs. rewrite <- fixed_tensor. apply NA; [|apply hamming_at].
    rewrite app_length, repeat_length. simpl. lia.
Qed.

Corollary context_stable_lift : context_stable -> forall (T : nat) (d : X) (a b B : Q), 0 <= a -> 0 <= b ->
  (forall x0 x1, length x0 = T -> hamming eqX x0 x1 = true -> hockey_stick (fixed outputs (core law) x0 x1) a b <= B) ->
  forall (A : adversary G) phi, is_test A phi ->
  b * probability A T init phi 1 - a * probability A T init phi 0 <= B.
Proof. intros H. apply future_stable_lift, context_future, H. Qed.
End Stable.

Section ContextDominated.
Context {X Y : Type} (eqX : forall x y : X, {x = y} + {x <> y}) (outputs : list Y) (law : list X -> Y -> Q).
Hypothesis law_nonneg : forall xs y, 0 <= law xs y.
Hypothesis law_total : forall xs, sum (law xs) outputs == 1.

(** [hull t i j k]: a pair of laws whose curve is above those of the [k]-th round after the challenge (i, j), made
    after [t] rounds, in every context. *)
Context (hull : nat -> X -> X -> nat -> pairs).
Hypothesis hull_laws : forall t i j k, laws (hull t i j k).
Hypothesis hull_above : forall past i j later, i <> j ->
  at_most (round outputs law (later ++ i :: past) (later ++ j :: past)) (hull (length past) i j (length later)).

(** CONTEXT_DOMINATED: if the product of the hulls is below the curve of some fixed streams, whatever bounds fixed
    streams bounds every adversary. *)
Theorem context_dominated_lift (T : nat) (d : X) (a b B : Q) : 0 <= a -> 0 <= b ->
  (forall t i j n, i <> j -> (t + S n = T)%nat -> exists x0 x1, length x0 = T /\ hamming eqX x0 x1 = true /\
     hockey_stick (tensor (map (hull t i j) (seq 0 (S n)))) a b <= hockey_stick (fixed outputs (core law) x0 x1) a b) ->
  (forall x0 x1, length x0 = T -> hamming eqX x0 x1 = true ->
     hockey_stick (fixed outputs (core law) x0 x1) a b <= B) ->
  forall (A : adversary (paired outputs (hamming eqX) (core law))) phi, is_test A phi ->
  b * probability A T init phi 1 - a * probability A T init phi 0 <= B.
Proof.
  intros Ha Hb Below NA A phi Hphi.
  assert (plus (b - a) <= B) as S.
  { rewrite <- (fixed_same outputs law law_nonneg law_total (repeat d T)).
    apply NA; [apply repeat_length|apply hamming_refl]. }
  apply (dominated_lift eqX outputs law law_nonneg law_total (fun past => hull (length past))); trivial.
  - eapply Qle_trans; [apply plus_nonneg|exact S].
  - eapply Qle_trans; [apply plus_above|exact S].
  - intros past i j n Ne Len. unfold refs. destruct (Below (length past) i j n Ne Len) as (x0 & x1 & L & H & Le).
    eapply Qle_trans; [exact Le|]. now apply NA.
Qed.
End ContextDominated.
