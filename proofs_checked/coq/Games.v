(** Adaptive games between an adversary and a mechanism that runs in one of several worlds. *)
From Coq Require Import QArith List Lqa.
From Dpcert Require Import Sums.
Import ListNotations.
Open Scope Q_scope.

(** [step v m] lists what the adversary may observe after the move [m] at [v], and where that leads; [None]: the
    move is not allowed, and the interaction ends.  [likelihood w v] is the probability, in world [w], that the
    mechanism's answers to the moves made so far lead to [v]. *)
Record game := {
  position : Type;
  move : Type;
  visible : Type;
  step : position -> move -> option (list (visible * position));
  likelihood : nat -> position -> Q }.

(** Before every round the adversary draws a coin, whose law may depend on all it has seen, and moves or stops.
    Its view holds all coins and all observations, newest first.  A seed drawn once and a fresh coin every round are
    both covered. *)
Record adversary (G : game) := {
  coin : Type;
  draw : list (coin * option (visible G)) -> list (Q * coin);
  act : list (coin * option (visible G)) -> coin -> option (move G);
  draw_nonneg : forall h p, In p (draw h) -> 0 <= fst p;
  draw_total : forall h, sum fst (draw h) == 1 }.
Arguments coin {G}. Arguments draw {G}. Arguments act {G}.
Arguments draw_nonneg {G}. Arguments draw_total {G}.

Definition view {G} (A : adversary G) : Type := list (coin A * option (visible G)).

Section Play.
Context {G : game} (A : adversary G).

Definition reply (v : position G) (m : option (move G)) : option (list (visible G * position G)) :=
  match m with Some x => step G v x | None => None end.

(** Every way the interaction can end: the weight of the adversary's coins, its view, and the last position. *)
Fixpoint play (n : nat) (v : position G) (h : view A) : list (Q * view A * position G) :=
  match n with
  | O => [(1, h, v)]
  | S k => flat_map (fun p : Q * coin A =>
      match reply v (act A h (snd p)) with
      | None => [(fst p, (snd p, None) :: h, v)]
      | Some os => flat_map (fun o : visible G * position G =>
          map (fun e => (fst p * fst (fst e), snd (fst e), snd e))
              (play k (snd o) ((snd p, Some (fst o)) :: h))) os
      end) (draw A h)
  end.

Definition total (F : view A -> position G -> Q) n v h : Q :=
  sum (fun e => fst (fst e) * F (snd (fst e)) (snd e)) (play n v h).

(** The probability, in world [w], that the test [phi] accepts the view of [n] rounds from [v]. *)
Definition probability (n : nat) (v : position G) (phi : view A -> Q) (w : nat) : Q :=
  total (fun h u => phi h * likelihood G w u) n v [].

Definition is_test (phi : view A -> Q) : Prop := forall h, 0 <= phi h <= 1.

Lemma total_0 F v h : total F 0 v h == F h v.
Proof. unfold total. simpl. lra. Qed.

Lemma total_S F n v h :
  total F (S n) v h ==
  sum (fun p : Q * coin A => fst p *
    match reply v (act A h (snd p)) with
    | None => F ((snd p, None) :: h) v
    | Some os => sum (fun o : visible G * position G => total F n (snd o) ((snd p, Some (fst o)) :: h)) os
    end) (draw A h).
Proof.
  unfold total at 1. simpl. rewrite sum_flat_map. apply sum_ext. intros p _.
  destruct (reply v (act A h (snd p))) as [os|]; [|simpl; lra].
  rewrite sum_flat_map, <- sum_scale. apply sum_ext. intros o _.
  rewrite sum_map. unfold total. rewrite <- sum_scale. apply sum_ext. intros e _. simpl. lra.
Qed.

Lemma total_diff F F' a b n v h :
  b * total F n v h - a * total F' n v h == total (fun k u => b * F k u - a * F' k u) n v h.
Proof.
  unfold total. rewrite <- !sum_scale, <- sum_minus. apply sum_ext. intros. lra.
Qed.

(** The principle behind every certificate below: a potential that is at least the gain of stopping, at least 0,
    and never grows in sum, bounds every adversary.  [I] is an invariant of the positions with [n] rounds left. *)
Theorem potential (I : nat -> position G -> Prop) (P : nat -> position G -> Q)
    (gain : position G -> Q) (phi : view A -> Q) :
  is_test phi ->
  (forall n v, I n v -> 0 <= P n v) ->
  (forall n v, I n v -> gain v <= P n v) ->
  (forall n v m os, I (S n) v -> step G v m = Some os ->
     (forall o, In o os -> I n (snd o)) /\ sum (fun o => P n (snd o)) os <= P (S n) v) ->
  forall n v h, I n v -> total (fun k u => phi k * gain u) n v h <= P n v.
Proof.
  intros T N H K.
  assert (Stop : forall n v k, I n v -> phi k * gain v <= P n v).
  { intros n v k Iv. specialize (T k). specialize (N n v Iv). specialize (H n v Iv). nra. }
  induction n as [|n IH]; intros v h Iv.
  - rewrite total_0. now apply Stop.
  - rewrite total_S. apply sum_mean; [apply draw_nonneg|apply draw_total|].
    intros p _. destruct (act A h (snd p)) as [m|]; simpl; [|now apply Stop].
    destruct (step G v m) as [os|] eqn:E; [|now apply Stop].
    destruct (K n v m os Iv E) as [In' Le].
    eapply Qle_trans; [|exact Le]. apply sum_le. intros o Io. now apply IH, In'.
Qed.

Corollary potential_probability (I : nat -> position G -> Prop) (P : nat -> position G -> Q) a b phi :
  is_test phi ->
  (forall n v, I n v -> 0 <= P n v) ->
  (forall n v, I n v -> b * likelihood G 1 v - a * likelihood G 0 v <= P n v) ->
  (forall n v m os, I (S n) v -> step G v m = Some os ->
     (forall o, In o os -> I n (snd o)) /\ sum (fun o => P n (snd o)) os <= P (S n) v) ->
  forall n v, I n v -> b * probability n v phi 1 - a * probability n v phi 0 <= P n v.
Proof.
  intros T N H K n v Iv. unfold probability. rewrite total_diff.
  eapply Qle_trans; [|exact (potential I P (fun u => b * likelihood G 1 u - a * likelihood G 0 u)
    phi T N H K n v [] Iv)].
  apply sum_le. intros. lra.
Qed.

(** In a world whose likelihoods add up, every view is accepted by the test that accepts everything. *)
Lemma probability_total (I : nat -> position G -> Prop) w :
  (forall n v m os, I (S n) v -> step G v m = Some os ->
     (forall o, In o os -> I n (snd o)) /\ sum (fun o => likelihood G w (snd o)) os == likelihood G w v) ->
  forall n v, I n v -> probability n v (fun _ => 1) w == likelihood G w v.
Proof.
  intros K. unfold probability.
  assert (forall n v h, I n v -> total (fun _ u => 1 * likelihood G w u) n v h == likelihood G w v) as L; [|auto].
  induction n as [|n IH]; intros v h Iv.
  - rewrite total_0. lra.
  - rewrite total_S. transitivity (sum (fun p => likelihood G w v * fst p) (draw A h)).
    + apply sum_ext. intros p _. rewrite (Qmult_comm (likelihood G w v)).
      destruct (act A h (snd p)) as [m|]; simpl; [|lra].
      destruct (step G v m) as [os|] eqn:E; [|lra].
      destruct (K n v m os Iv E) as [In' Eq]. rewrite <- Eq.
      assert (sum (fun o : visible G * position G => total (fun _ u => 1 * likelihood G w u) n (snd o) ((snd p,
          Some (fst o)) :: h)) os
              == sum (fun o => likelihood G w (snd o)) os) as -> by (apply sum_ext; intros o Io; now apply IH, In').
      lra.
    + rewrite sum_scale, draw_total. lra.
Qed.

Lemma probability_not n v phi w :
  probability n v (fun h => 1 - phi h) w == probability n v (fun _ => 1) w - probability n v phi w.
Proof.
  unfold probability, total. rewrite <- sum_minus. apply sum_ext. intros. lra.
Qed.
End Play.

(** * Games given by one-round kernels *)

(** [kernel_step v m]: for every outcome what is observed, its probability in either world, and the next position. *)
Record kernels := {
  kernel_position : Type;
  kernel_move : Type;
  kernel_visible : Type;
  kernel_step : kernel_position -> kernel_move -> option (list (kernel_visible * (Q * Q) * kernel_position)) }.

(** The game of [K]: a position remembers the product of the kernels on the way to it. *)
Definition of_kernels (K : kernels) : game := {|
  position := kernel_position K * (Q * Q);
  move := kernel_move K;
  visible := kernel_visible K;
  step := fun v m => option_map (map (fun o : kernel_visible K * (Q * Q) * kernel_position K =>
    let '(y, k, u) := o in
    (y, (u, (fst (snd v) * fst k, snd (snd v) * snd k))))) (kernel_step K (fst v) m);
  likelihood := fun w v => match w with O => fst (snd v) | _ => snd (snd v) end |}.

Definition start {K} (v : kernel_position K) : position (of_kernels K) := (v, (1, 1)).

Lemma Qmult_assoc_eq x y z : x * (y * z) = x * y * z.
Proof. destruct x, y, z. unfold Qmult. simpl. now rewrite Z.mul_assoc, Pos.mul_assoc. Qed.

Lemma Qmult_1_r_eq x : x * 1 = x.
Proof. destruct x. unfold Qmult. simpl. now rewrite Z.mul_1_r, Pos.mul_1_r. Qed.

(** Soundness of a certificate: a family [V] (with [n] rounds left, at every position) that is at least
    [max 0 (b - a)] and at least the sum of its values after every move bounds every adversary: adaptive, randomised,
    with any test. *)
Theorem certificate_sound (K : kernels) (V : nat -> kernel_position K -> Q -> Q -> Q) :
  (forall v m os o, kernel_step K v m = Some os -> In o os -> 0 <= fst (snd (fst o)) /\ 0 <= snd (snd (fst o))) ->
  (forall n v a b, 0 <= a -> 0 <= b -> 0 <= V n v a b) ->
  (forall n v a b, 0 <= a -> 0 <= b -> b - a <= V n v a b) ->
  (forall n v m os, kernel_step K v m = Some os -> forall a b, 0 <= a -> 0 <= b ->
     sum (fun o => V n (snd o) (a * fst (snd (fst o))) (b * snd (snd (fst o)))) os <= V (S n) v a b) ->
  forall (A : adversary (of_kernels K)) (phi : view A -> Q), is_test A phi ->
  forall n v a b, 0 <= a -> 0 <= b ->
  b * probability A n (start v) phi 1 - a * probability A n (start v) phi 0 <= V n v a b.
Proof.
  intros Nn N H S A phi T n v a b Ha Hb.
  assert (V n v a b = V n v (a * 1) (b * 1)) as -> by now rewrite !Qmult_1_r_eq.
  apply (potential_probability A
    (fun _ u => 0 <= fst (snd u) /\ 0 <= snd (snd u))
    (fun k u => V k (fst u) (a * fst (snd u)) (b * snd (snd u)))); simpl; auto.
  - intros k [u [p q]]; simpl; intros [? ?]. apply N; nra.
  - intros k [u [p q]]; simpl; intros [? ?]. apply H; nra.
  - intros k [u [p q]] m os; simpl; intros [Hp Hq].
    destruct (kernel_step K u m) as [l|] eqn:E; simpl; [|discriminate].
    intros [= <-]. split.
    + intros o Io. apply in_map_iff in Io as [[[y [k0 k1]] x] [<- Io]]. simpl.
      destruct (Nn u m l _ E Io). simpl in *. split; nra.
    + rewrite sum_map. eapply Qle_trans; [|apply (S k u m l E); nra].
      apply sum_le. intros [[y [k0 k1]] x] _. simpl. rewrite !Qmult_assoc_eq. lra.
  - split; lra.
Qed.
