(** Group privacy for adaptive adversaries (the paper's fact on multi-hop neighbours). *)
From Coq Require Import QArith List Lqa Bool Arith Lia.
From Dpcert Require Import Sums Games Chains PairedSimulation.
Import ListNotations.
Open Scope Q_scope.

Section Hop.
Context {X Y : Type} (outputs : list Y) (neighbours : list X -> list X -> bool) (M : mechanism X Y) (k : nat).

Definition linked (xs : nat -> list X) : bool := forallb (fun w => neighbours (xs w) (xs (S w))) (seq 0 k).

(** Definition "k-hop neighboring simulation": the adversary writes k + 1 streams, consecutive ones neighbours, and in
    world w the mechanism reads stream w. *)
Definition hop : game := {|
  position := (nat -> list X) * list Y;
  move := nat -> X;
  visible := Y;
  step := fun v m =>
    let xs := fun w => m w :: fst v w in
    if linked xs then Some (map (fun y => (y, (xs, y :: snd v))) outputs) else None;
  likelihood := fun w v => M (fst v w) (snd v) |}.

Definition hop_init : position hop := ((fun _ => []), []).

Section Project.
Context (A : adversary hop) (i : nat).

(** The streams that [A] has written, recovered from its view. *)
Fixpoint written (h : list (coin A * option Y)) : nat -> list X :=
  match h with
  | [] => fun _ => []
  | (c, _) :: r => match act A r c with Some m => fun w => m w :: written r w | None => written r end
  end.

(** [A] as an adversary of the paired simulation that shows streams i and i + 1 only. *)
Definition project_act (h : list (coin A * option Y)) (c : coin A) : option (X * X) :=
  match act A h c with
  | Some m => if linked (fun w => m w :: written h w) then Some (m i, m (S i)) else None
  | None => None
  end.

Definition project : adversary (paired outputs neighbours M) :=
  Build_adversary (paired outputs neighbours M) (coin A) (draw A) project_act (draw_nonneg A) (draw_total A).

Lemma linked_ext (xs xs' : nat -> list X) : (forall w, xs w = xs' w) -> linked xs = linked xs'.
Proof. intros E. unfold linked. induction (seq 0 k) as [|w r IH]; simpl; trivial. now rewrite IH, !E. Qed.

Lemma project_total (phi : view A -> Q) (e : nat) : (i < k)%nat -> (e <= 1)%nat ->
  forall n (xs : nat -> list X) ys (h : view A), (forall w, xs w = written h w) ->
  total A (fun g u => phi g * likelihood hop (e + i) u) n (xs, ys) h ==
  total project (fun g u => phi g * likelihood (paired outputs neighbours M) e u) n (xs i, xs (S i), ys) h.
Proof.
  intros Hi He.
  assert (forall xs ys, likelihood hop (e +
      i) (xs, ys) = likelihood (paired outputs neighbours M) e (xs i, xs (S i), ys)) as L.
  { intros xs ys. destruct e as [|[|e]]; simpl; trivial. lia. }
  induction n as [|n IH]; intros xs ys h E.
  - now rewrite !total_0, L.
  - rewrite (total_S A), (total_S project). apply sum_ext. intros [p c] _. apply Qmult_comp; [reflexivity|].
    change (act project h (snd (p, c))) with (project_act h c). unfold project_act. simpl snd.
    destruct (act A h c) as [m|] eqn:Em; [|now rewrite L].
    set (xs' := fun w => m w :: xs w).
    assert (linked (fun w => m w :: written h w) = linked xs') as -> by (apply linked_ext; intros w; unfold xs';
        now rewrite E).
    cbn [reply]. change (step hop (xs, ys) m) with
      (if linked xs' then Some (map (fun y => (y, (xs', y :: ys))) outputs) else None).
    destruct (linked xs') eqn:Lk; [|now rewrite L].
    change (reply (G := paired outputs neighbours M) (xs i, xs (S i), ys) (Some (m i, m (S i)))) with
      (if neighbours (xs' i) (xs' (S i)) then Some (map (fun y => (y, (xs' i, xs' (S i), y :: ys))) outputs) else None).
    unfold linked in Lk. rewrite forallb_forall in Lk. rewrite Lk by (apply in_seq; auto with arith).
    rewrite !sum_map. apply sum_ext. intros y _. apply IH.
    intros w. simpl. rewrite Em. unfold xs'. now rewrite E.
Qed.
End Project.

(** [f]: a bound on the power function, as any non-decreasing function on the rationals. *)
Theorem multi_hop (f : Q -> Q) (n : nat) :
  (forall p q, p <= q -> f p <= f q) ->
  (forall (A : adversary (paired outputs neighbours M)) phi, is_test A phi ->
      probability A n init phi 1 <= f (probability A n init phi 0)) ->
  forall (A : adversary hop) phi, is_test A phi ->
  forall j, (j <= k)%nat -> probability A n hop_init phi j <= Nat.iter j f (probability A n hop_init phi 0).
Proof.
  intros Mono DP A phi T. induction j as [|j IH]; intros Hj.
  - simpl. lra.
  - simpl Nat.iter. eapply Qle_trans; [|apply Mono, IH; auto with arith].
    assert (forall e, (e <= 1)%nat ->
        probability A n hop_init phi (e + j) == probability (project A j) n init phi e) as E.
    { intros e He. apply (project_total A j phi e); auto with arith. }
    rewrite (E 1%nat) by auto. eapply Qle_trans; [apply DP, T|]. apply Mono.
    specialize (E 0%nat). simpl in E. rewrite E by auto. apply Qle_refl.
Qed.
End Hop.

(** For f(p) = c p + d, k hops give c^k p + d (1 + c + ... + c^(k-1)). *)
Fixpoint power (c : Q) (k : nat) : Q := match k with O => 1 | S j => c * power c j end.

Lemma iter_affine (c d p : Q) k :
  Nat.iter k (fun q => c * q + d) p == power c k * p + d * sum (power c) (seq 0 k).
Proof.
  induction k as [|k IH]; [simpl; lra|].
  simpl. rewrite IH, <- seq_shift, sum_map. simpl. rewrite sum_scale. lra.
Qed.
