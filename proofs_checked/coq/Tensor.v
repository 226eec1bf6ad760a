(** Hockey-stick curves of pairs of laws and of their tensor products. *)
From Coq Require Import QArith List Lqa.
From Dpcert Require Import Sums Games Chains PairedSimulation.
Import ListNotations.
Open Scope Q_scope.

Definition pairs := list (Q * Q).

Fixpoint tensor (Rs : list pairs) : pairs :=
  match Rs with
  | [] => [(1, 1)]
  | R :: r => flat_map (fun z => map (fun w => (fst z * fst w, snd z * snd w)) (tensor r)) R
  end.

Definition nonneg (l : pairs) : Prop := forall z, In z l -> 0 <= fst z /\ 0 <= snd z.

(** A pair of sub-probability vectors is a pair of laws if both add up to 1. *)
Definition laws (l : pairs) : Prop := nonneg l /\ sum fst l == 1 /\ sum snd l == 1.

(** [at_most K R]: no test on [K] gains more than the best test on [R], at any slope. *)
Definition at_most (K R : pairs) : Prop := forall a b, 0 <= a -> 0 <= b -> hockey_stick K a b <= hockey_stick R a b.

Lemma hockey_stick_compat l a a' b b' : a == a' -> b == b' -> hockey_stick l a b == hockey_stick l a' b'.
Proof. intros Ea Eb. apply sum_ext. intros z _. apply plus_compat. now rewrite Ea, Eb. Qed.

Lemma hockey_stick_nonneg l a b : 0 <= hockey_stick l a b.
Proof. apply sum_nonneg. intros. apply plus_nonneg. Qed.

Lemma hockey_stick_scale l c a b : 0 <= c -> hockey_stick l (c * a) (c * b) == c * hockey_stick l a b.
Proof.
  intros C. unfold hockey_stick. rewrite <- sum_scale. apply sum_ext. intros z _.
  rewrite <- plus_scale by exact C. apply plus_compat. lra.
Qed.

Lemma hockey_stick_above l a b : laws l -> b - a <= hockey_stick l a b.
Proof.
  intros (_ & E0 & E1). setoid_replace (b - a) with (sum (fun z => b * snd z - a * fst z) l).
  - apply sum_le. intros. apply plus_above.
  - rewrite sum_minus, !sum_scale, E0, E1. lra.
Qed.

Lemma hockey_stick_swap R S a b :
  sum (fun z => hockey_stick S (a * fst z) (b * snd z)) R == sum (fun w => hockey_stick R (a * fst w) (b * snd w)) S.
Proof.
  unfold hockey_stick. rewrite sum_swap. apply sum_ext. intros w _. apply sum_ext. intros z _. apply plus_compat. lra.
Qed.

Lemma tensor_nil a b : hockey_stick (tensor []) a b == plus (b - a).
Proof. unfold hockey_stick. simpl. rewrite (plus_compat (b * 1 - a * 1) (b - a)) by lra. lra. Qed.

Lemma tensor_cons R Rs a b :
  hockey_stick (tensor (R :: Rs)) a b == sum (fun z => hockey_stick (tensor Rs) (a * fst z) (b * snd z)) R.
Proof.
  unfold hockey_stick. simpl. rewrite sum_flat_map. apply sum_ext. intros z _.
  rewrite sum_map. apply sum_ext. intros w _. simpl. apply plus_compat. lra.
Qed.

Lemma tensor_snoc R Rs : forall a b,
  hockey_stick (tensor (Rs ++ [R])) a b == sum (fun z => hockey_stick (tensor Rs) (a * fst z) (b * snd z)) R.
Proof.
  induction Rs as [|S Rs IH]; intros a b.
  - simpl app. now rewrite tensor_cons.
  - simpl app. rewrite tensor_cons.
    transitivity (sum (fun s => sum (fun z => hockey_stick (tensor Rs) (a * fst s * fst z) (b * snd s * snd z)) R) S).
    + apply sum_ext. intros s _. apply IH.
    + rewrite sum_swap. apply sum_ext. intros z _. rewrite tensor_cons. apply sum_ext. intros s _.
      apply hockey_stick_compat; lra.
Qed.

Lemma tensor_nonneg Rs : (forall R, In R Rs -> nonneg R) -> nonneg (tensor Rs).
Proof.
  induction Rs as [|R Rs IH]; intros H z; simpl.
  - intros [<-|[]]. simpl. lra.
  - intros I. apply in_flat_map in I as [r [Ir I]]. apply in_map_iff in I as [w [<- Iw]]. simpl.
    assert (nonneg (tensor Rs)) as N by (apply IH; intros; apply H; now right).
    specialize (N w Iw). assert (nonneg R) as NR by (apply H; now left). specialize (NR r Ir). nra.
Qed.

Lemma tensor_laws Rs : (forall R, In R Rs -> laws R) -> laws (tensor Rs).
Proof.
  intros H. split; [apply tensor_nonneg; intros R I; apply (H R I)|].
  induction Rs as [|R Rs IH]; simpl; [lra|].
  destruct IH as [E0 E1]; [intros; apply H; now right|].
  destruct (H R) as (_ & F0 & F1); [now left|].
  rewrite !sum_flat_map. split.
  - transitivity (sum (fun z => sum fst (tensor Rs) * fst z) R); [|rewrite sum_scale, E0, F0; lra].
    apply sum_ext. intros z _. rewrite sum_map. simpl. rewrite sum_scale. lra.
  - transitivity (sum (fun z => sum snd (tensor Rs) * snd z) R); [|rewrite sum_scale, E1, F1; lra].
    apply sum_ext. intros z _. rewrite sum_map. simpl. rewrite sum_scale. lra.
Qed.

(** The heart of the lift: a round whose own curve is at most that of [R] can be replaced by [R] whatever comes after
    it, since what comes after is a non-negative combination of hinges. *)
Lemma replace_round K R S a b : nonneg S -> at_most K R -> 0 <= a -> 0 <= b ->
  sum (fun z => hockey_stick S (a * fst z) (b * snd z)) K <= sum (fun z => hockey_stick S (a * fst z) (b * snd z)) R.
Proof.
  intros N D Ha Hb. rewrite (hockey_stick_swap K S), (hockey_stick_swap R S). apply sum_le. intros w I.
      specialize (N w I). apply D; nra.
Qed.
