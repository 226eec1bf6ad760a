(** Certificates made of chains, and the finite check that makes them sound. *)
From Coq Require Import QArith Qminmax List Lqa Bool Arith.
From Dpcert Require Import Sums Games.
Import ListNotations.
Open Scope Q_scope.

(** A vertex (d, c) stands for a set of views with probability d in world 0 and c in world 1. *)
Definition chain := list (Q * Q).

Definition line (e : Q * Q) (a b : Q) : Q := snd e * b - fst e * a.

Fixpoint value (C : chain) (a b : Q) : Q :=
  match C with [] => 0 | e :: r => Qmax (line e a b) (value r a b) end.

Lemma value_nonneg C a b : 0 <= value C a b.
Proof. induction C; simpl; [lra|]. eapply Qle_trans; [apply IHC|apply Q.le_max_r]. Qed.

(** [L] is a maximum of linear functions, as far as is needed: at every point some line touches it from below. *)
Definition supported (L : Q -> Q -> Q) : Prop :=
  forall a b, exists e, L a b == line e a b /\ forall a' b', line e a' b' <= L a' b'.

Lemma value_supported C : supported (value C).
Proof.
  induction C as [|e r IH]; intros a b; simpl.
  - exists (0, 0). unfold line. simpl. split; intros; lra.
  - destruct (Q.max_spec (line e a b) (value r a b)) as [[H E]|[H E]].
    + destruct (IH a b) as [f [F G]]. exists f. split; [now rewrite E|].
      intros a' b'. eapply Qle_trans; [apply G|apply Q.le_max_r].
    + exists e. split; [easy|]. intros a' b'. apply Q.le_max_l.
Qed.

(** ** Minkowski sums of scaled chains, as functions *)

Definition outcomes := list ((Q * Q) * chain).

Definition after (os : outcomes) (a b : Q) : Q :=
  sum (fun o => value (snd o) (a * fst (fst o)) (b * snd (fst o))) os.

Lemma after_supported os : supported (after os).
Proof.
  induction os as [|[[k0 k1] C] r IH]; intros a b; unfold after in *; simpl.
  - exists (0, 0). unfold line. simpl. split; intros; lra.
  - destruct (IH a b) as [[d c] [E F]].
    destruct (value_supported C (a * k0) (b * k1)) as [[d' c'] [E' F']].
    exists (d' * k0 + d, c' * k1 + c). unfold line in *; simpl in *. split.
    + rewrite E, E'. ring.
    + intros a' b'. specialize (F a' b'). specialize (F' (a' * k0) (b' * k1)). lra.
Qed.

(** ** The check *)

(** [below L p e r]: L is at most the chain [e :: r] at every point of the quadrant that lies counter-clockwise of the
    ray [p].  Every vertex of the chain owns the cone between two rays; [L] is compared at those rays only. *)
Fixpoint below (L : Q -> Q -> Q) (p : Q * Q) (e : Q * Q) (r : chain) : bool :=
  let q := match r with [] => (0, 1) | f :: _ => (Qred (snd f - snd e), Qred (fst f - fst e)) end in
  negb (Qle_bool (fst p * snd q - snd p * fst q) 0)
  && Qle_bool (L (fst p) (snd p)) (line e (fst p) (snd p))
  && Qle_bool (L (fst q) (snd q)) (line e (fst q) (snd q))
  && match r with [] => true | f :: s => below L q f s end.

Definition dominated (L : Q -> Q -> Q) (C : chain) : bool :=
  match C with [] => false | e :: r => below L (1, 0) e r end.

Lemma below_sound L : supported L ->
  forall r e p a b, below L p e r = true -> 0 <= a -> 0 <= fst p * b - snd p * a ->
  L a b <= value (e :: r) a b.
Proof.
  intros S. induction r as [|f s IH]; intros e [pa pb] a b H Ha Hp.
  - cbn -[Qle_bool line value] in H. rewrite !andb_true_iff in H. destruct H as [[[D Lp] Lq] _].
    apply negb_true_iff in D. apply Qle_bool_iff in Lp, Lq.
    assert (0 < pa) as D'.
    { apply Qnot_le_lt. intros X. assert (Qle_bool (pa * 1 - pb * 0) 0 = true) by (apply Qle_bool_iff; lra).
        congruence. }
    destruct (S a b) as [g [G1 G2]]. specialize (G2 pa pb) as G3. specialize (G2 0 1) as G4.
    eapply Qle_trans; [|apply Q.le_max_l]. rewrite G1. unfold line in *. simpl in *. nra.
  - remember (Qred (snd f - snd e)) as qa. remember (Qred (fst f - fst e)) as qb.
    cbn -[Qle_bool line value Qred] in H. rewrite <- Heqqa, <- Heqqb in H.
    rewrite !andb_true_iff in H. destruct H as [[[D Lp] Lq] R].
    apply negb_true_iff in D. apply Qle_bool_iff in Lp, Lq.
    assert (0 < pa * qb - pb * qa) as D'.
    { apply Qnot_le_lt. intros X. apply Qle_bool_iff in X. congruence. }
    destruct (Qlt_le_dec (a * qb - b * qa) 0) as [X|X].
    + eapply Qle_trans; [apply (IH f (qa, qb) a b R Ha); simpl; lra|apply Q.le_max_r].
    + destruct (S a b) as [g [G1 G2]]. specialize (G2 pa pb) as G3. specialize (G2 qa qb) as G4.
      eapply Qle_trans; [|apply Q.le_max_l]. rewrite G1. unfold line in *. simpl in *.
      set (det := pa * qb - pb * qa) in *.
      set (x := a * qb - b * qa) in *. set (y := pa * b - pb * a) in *.
      assert (det * a == x * pa + y * qa) as Ea by (unfold det, x, y; ring).
      assert (det * b == x * pb + y * qb) as Eb by (unfold det, x, y; ring).
      apply Qmult_lt_0_le_reg_r with (z := det); [exact D'|].
      setoid_replace ((snd g * b - fst g * a) * det) with
        (x * (snd g * pb - fst g * pa) + y * (snd g * qb - fst g * qa))
        by (transitivity (snd g * (det * b) - fst g * (det * a)); [ring|rewrite Ea, Eb; ring]).
      setoid_replace ((snd e * b - fst e * a) * det) with
        (x * (snd e * pb - fst e * pa) + y * (snd e * qb - fst e * qa))
        by (transitivity (snd e * (det * b) - fst e * (det * a)); [ring|rewrite Ea, Eb; ring]).
      assert (snd g * pb - fst g * pa <= snd e * pb - fst e * pa) by lra.
      assert (snd g * qb - fst g * qa <= snd e * qb - fst e * qa) by lra.
      nra.
Qed.

Theorem dominated_sound L C : supported L -> dominated L C = true ->
  forall a b, 0 <= a -> 0 <= b -> L a b <= value C a b.
Proof.
  intros S H a b Ha Hb. destruct C as [|e r]; [discriminate|].
  apply (below_sound L S r e (1, 0)); simpl; trivial. lra.
Qed.

Definition hinge (a b : Q) : Q := b - a.

Lemma hinge_supported : supported hinge.
Proof. intros a b. exists (1, 1). unfold line, hinge. simpl. split; intros; lra. Qed.

(** The chain of a position at which nothing more can be learnt. *)
Definition trivial : chain := [(0, 0); (1, 1)].
