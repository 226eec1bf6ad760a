(** Quantitatively decomposable mechanisms are context stable, hence adaptively as safe as on fixed streams: the paper's
    thm:noise-ind-DP, in the vector form of rem:vector_quant_decomp and, from it, in the scalar one.

    That the curves rise with the distance, that the distance is a metric, and that the guarantee is given for every
    horizon, is not used. *)
From Coq Require Import QArith List Lqa Bool Arith.
From Dpcert Require Import Sums Games Chains PairedSimulation Tensor Lift.
Import ListNotations.
Open Scope Q_scope.

Section Vector.
(** [Theta]: differences of aggregates, of any type; real distances are one. *)
Context {U Y Theta : Type} (eqU : forall x y : U, {x = y} + {x <> y}) (outputs : list Y) (law : list U -> Y -> Q).
Hypothesis law_nonneg : forall xs y, 0 <= law xs y.
Hypothesis law_total : forall xs, sum (law xs) outputs == 1.

(** A monoid with a difference that ignores common context. *)
Context (op : U -> U -> U) (zero : U) (delta : U -> U -> Theta).
Hypothesis op_assoc : forall u v w, op (op u v) w = op u (op v w).
Hypothesis op_zero_l : forall u, op zero u = u.
Hypothesis op_zero_r : forall u, op u zero = u.
Hypothesis invariant : forall a b u v, delta (op (op a u) b) (op (op a v) b) = delta u v.

(** [I t s]: the input of round s enters the aggregate of round t. *)
Context (I : nat -> nat -> bool).

Fixpoint aggregate (t : nat) (xs : list U) : U :=
  match xs with
  | [] => zero
  | x :: past => if I t (length xs) then op (aggregate t past) x else aggregate t past
  end.

(** [curve t theta]: what the best test gains in round t at the difference theta, slope by slope. *)
Context (curve : nat -> Theta -> Q -> Q -> Q).
Hypothesis decomposable : forall x0 x1, length x0 = length x1 -> forall a b, 0 <= a -> 0 <= b ->
  hockey_stick (round outputs law x0 x1) a b ==
  curve (length x0) (delta (aggregate (length x0) x0) (aggregate (length x1) x1)) a b.

Fixpoint suffix (t n : nat) (later : list U) : U :=
  match later with
  | [] => zero
  | x :: r => if I t (length later + n) then op (suffix t n r) x else suffix t n r
  end.

Lemma aggregate_app t later z : aggregate t (later ++ z) = op (aggregate t z) (suffix t (length z) later).
Proof.
  induction later as [|x r IH]; [symmetry; apply op_zero_r|].
  cbn [app aggregate suffix]. rewrite IH. cbn [length]. rewrite app_length.
  destruct (I t (S (length r + length z))) eqn:E; simpl; rewrite E; [apply op_assoc|reflexivity].
Qed.

Lemma delta_same u v : delta u u = delta v v.
Proof.
  assert (forall w, delta w w = delta zero zero) as H; [|now rewrite !H].
  intros w. rewrite <- (invariant w zero zero zero). now rewrite !op_zero_r.
Qed.

(** The difference of the aggregates depends on the challenge and on the two lengths alone. *)
Lemma delta_context t past past' i j later later' : length past = length past' -> length later = length later' ->
  delta (aggregate t (later ++ i :: past)) (aggregate t (later ++ j :: past)) =
  delta (aggregate t (later' ++ i :: past')) (aggregate t (later' ++ j :: past')).
Proof.
  intros Lp Ll. rewrite !aggregate_app. cbn [aggregate length]. rewrite <- Lp.
  destruct (I t (S (length past))); [now rewrite !invariant|apply delta_same].
Qed.

Theorem decomposable_stable : context_stable outputs law.
Proof.
  intros past past' i j later later' Lp Ll a b Ha Hb.
  assert (forall (l p : list U) x, length (l ++ x :: p) = (length l + S (length p))%nat) as Len
    by (intros; now rewrite app_length).
  rewrite !decomposable by (trivial; now rewrite !Len).
  rewrite !Len, Lp, Ll, <- Lp. rewrite (delta_context _ past past' i j later later' Lp Ll). apply Qle_refl.
Qed.

(** What bounds every fixed pair of neighbouring streams at a slope bounds every adaptive adversary at that slope. *)
Theorem vector_adaptive_safety (T : nat) (a b B : Q) : 0 <= a -> 0 <= b ->
  (forall x0 x1, length x0 = T -> hamming eqU x0 x1 = true -> hockey_stick (fixed outputs (core law) x0 x1) a b <= B) ->
  forall (A : adversary (paired outputs (hamming eqU) (core law))) phi, is_test A phi ->
  b * probability A T init phi 1 - a * probability A T init phi 0 <= B.
Proof. apply (context_stable_lift eqU outputs law law_nonneg law_total decomposable_stable T zero). Qed.
End Vector.

Section Scalar.
Context {U Y : Type} (eqU : forall x y : U, {x = y} + {x <> y}) (outputs : list Y) (law : list U -> Y -> Q).
Hypothesis law_nonneg : forall xs y, 0 <= law xs y.
Hypothesis law_total : forall xs, sum (law xs) outputs == 1.

(** An invariant pair (d, op): a monoid with a distance that ignores common context. *)
Context (op : U -> U -> U) (zero : U) (d : U -> U -> Q).
Hypothesis op_assoc : forall u v w, op (op u v) w = op u (op v w).
Hypothesis op_zero_l : forall u, op zero u = u.
Hypothesis op_zero_r : forall u, op u zero = u.
Hypothesis invariant : forall a b u v, d (op (op a u) b) (op (op a v) b) == d u v.

(** Index sets, and curves g_t(theta), slope by slope. *)
Context (I : nat -> nat -> bool) (g : nat -> Q -> Q -> Q -> Q).
Hypothesis g_compat : forall t theta theta' a b, theta == theta' -> g t theta a b == g t theta' a b.
Hypothesis decomposable : forall x0 x1, length x0 = length x1 -> forall a b, 0 <= a -> 0 <= b ->
  hockey_stick (round outputs law x0 x1) a b ==
  g (length x0) (d (aggregate op zero I (length x0) x0) (aggregate op zero I (length x1) x1)) a b.

Theorem scalar_adaptive_safety (T : nat) (a b B : Q) : 0 <= a -> 0 <= b ->
  (forall x0 x1, length x0 = T -> hamming eqU x0 x1 = true ->
     hockey_stick (fixed outputs (core law) x0 x1) a b <= B) ->
  forall (A : adversary (paired outputs (hamming eqU) (core law))) phi, is_test A phi ->
  b * probability A T init phi 1 - a * probability A T init phi 0 <= B.
Proof.
  apply (vector_adaptive_safety eqU outputs law law_nonneg law_total op zero (fun u v => Qred (d u v))
    op_assoc op_zero_r (fun a b u v => Qred_complete _ _ (invariant a b u v)) I g).
  intros x0 x1 L a' b' Ha Hb. rewrite (decomposable x0 x1 L a' b' Ha Hb). apply g_compat.
  now rewrite Qred_correct.
Qed.
End Scalar.
