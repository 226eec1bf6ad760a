(** Every maximum of finitely many lines is the hockey_stick-stick curve of a pair of measures. *)
From Coq Require Import QArith Qminmax List Lqa.
From Dpcert Require Import Sums Games Chains PairedSimulation Tensor.
Import ListNotations.
Open Scope Q_scope.

Lemma hockey_stick_cons z r a b : hockey_stick (z :: r) a b == plus (line z a b) + hockey_stick r a b.
Proof.
  unfold hockey_stick. simpl. rewrite (plus_compat (line z a b) (b * snd z - a * fst z)) by (unfold line; lra).
      reflexivity.
Qed.

Lemma hockey_stick_ends E a b : line (sum fst E, sum snd E) a b <= hockey_stick E a b.
Proof.
  unfold line. simpl. induction E as [|z r IH]; simpl; [unfold hockey_stick; simpl; lra|].
  rewrite hockey_stick_cons. pose proof (plus_above (line z a b)). unfold line in *. lra.
Qed.

(** Flattest edge first: where an edge gains, all the later ones do. *)
Fixpoint ordered (E : pairs) : Prop :=
  match E with
  | [] => True
  | z :: r =>
    (forall a b, 0 <= a -> 0 <= b -> 0 <= line z a b -> forall w, In w r -> 0 <= line w a b) /\ ordered r
  end.

Lemma hockey_stick_all E a b : (forall w, In w E -> 0 <= line w a b) ->
    hockey_stick E a b == line (sum fst E, sum snd E) a b.
Proof.
  induction E as [|z r IH]; intros H; [unfold hockey_stick, line; simpl; lra|].
  rewrite hockey_stick_cons, IH by (intros; apply H; now right).
  assert (plus (line z a b) == line z a b) as -> by (unfold plus; apply Q.max_r, H; now left).
  unfold line. simpl. lra.
Qed.

(** Adds the line (d, c), of the largest slope c so far; edges that it makes useless go. *)
Fixpoint push (E : pairs) (d c : Q) : pairs :=
  match E with
  | [] => [(d, c)]
  | z :: r =>
    let e := (d - sum fst E, c - sum snd E) in
    if Qle_bool (snd z * fst e) (snd e * fst z) then push r d c else e :: E
  end.

Lemma push_spec E d c : ordered E -> nonneg E -> 0 <= d -> 0 <= c -> sum snd E <= c ->
  ordered (push E d c) /\ nonneg (push E d c) /\ sum snd (push E d c) == c /\
  forall a b, 0 <= a -> 0 <= b -> hockey_stick (push E d c) a b == Qmax (hockey_stick E a b) (line (d, c) a b).
Proof.
  intros O N Hd Hc0. revert O N. induction E as [|z r IH]; intros O N Hc.
  - cbn [push]. split; [simpl; split; [easy|exact I]|]. split; [|split].
    + intros w [<-|[]]. simpl. auto.
    + simpl. lra.
    + intros a b _ _. rewrite hockey_stick_cons. change (hockey_stick [] a b) with 0. unfold plus. lra.
  - destruct O as [Oz Or]. destruct (N z) as [Z0 Z1]; [now left|].
    assert (nonneg r) as Nr by (intros w Iw; apply N; now right).
    cbn [push]. set (e := (d - sum fst (z :: r), c - sum snd (z :: r))).
    assert (0 <= snd e) as E1 by (unfold e; simpl in *; lra).
    assert (forall a b, line (d, c) a b == line e a b + line (sum fst (z :: r), sum snd (z :: r)) a b) as Le
      by (intros; unfold line, e; simpl; lra).
    destruct (Qle_bool (snd z * fst e) (snd e * fst z)) eqn:Pop.
    + apply Qle_bool_iff in Pop. destruct IH as (IO & IN & IE & IH); trivial; [simpl in Hc; lra|].
      split; [exact IO|]. split; [exact IN|]. split; [exact IE|].
      intros a b Ha Hb. rewrite (IH a b Ha Hb).
      destruct (Qlt_le_dec 0 (line z a b)) as [Pz|Pz].
      * (* the edge gains here, and the new line at least as much *)
        assert (0 <= line e a b) as Pe.
        { unfold line in *. assert (0 < snd z) by nra. assert (0 <= snd e * (snd z * b - fst z * a)) by nra.
          apply Qmult_lt_0_le_reg_r with (z := snd z); [assumption|]. nra. }
        assert (hockey_stick (z :: r) a b <= line (d, c) a b) as H1.
        { rewrite Le, hockey_stick_all; [lra|]. intros w [<-|Iw]; [lra|]. apply (Oz a b); trivial; lra. }
        assert (hockey_stick r a b <= hockey_stick (z :: r) a b) as H2.
        { rewrite hockey_stick_cons. pose proof (plus_nonneg (line z a b)). lra. }
        rewrite !Q.max_r; lra.
      * assert (hockey_stick (z :: r) a b == hockey_stick r a b) as ->; [|reflexivity].
        rewrite hockey_stick_cons. unfold plus. rewrite Q.max_l by lra. lra.
    + assert (snd e * fst z < snd z * fst e) as Flat.
      { apply Qnot_le_lt. intros X. apply Qle_bool_iff in X. congruence. }
      assert (0 < fst e) as E0 by nra. assert (0 < snd z) as Z1' by nra.
      assert (forall a b, 0 <= a -> 0 <= b -> 0 <= line e a b -> forall w, In w (z :: r) -> 0 <= line w a b) as Oe.
      { intros a b Ha Hb Pe.
        assert (0 <= line z a b) as Pz.
        { unfold line in *. apply Qmult_lt_0_le_reg_r with (z := fst e); [assumption|].
          assert (0 <= fst z * (snd e * b - fst e * a)) by nra. nra. }
        intros w [<-|Iw]; [exact Pz|]. now apply (Oz a b). }
      split; [simpl; split; [exact Oe|split; [exact Oz|exact Or]]|].
      split; [intros w [<-|Iw]; [split; lra|now apply N]|].
      split; [unfold e; simpl; lra|].
      intros a b Ha Hb. rewrite hockey_stick_cons.
      destruct (Qlt_le_dec (line e a b) 0) as [Pe|Pe].
      * unfold plus. rewrite Q.max_l by lra. rewrite Q.max_l; [lra|].
        rewrite Le. pose proof (hockey_stick_ends (z :: r) a b). lra.
      * assert (hockey_stick (z :: r) a b == line (sum fst (z :: r), sum snd (z :: r)) a b) as Eq
          by (apply hockey_stick_all, (Oe a b Ha Hb Pe)).
        unfold plus. rewrite Q.max_r by lra. rewrite Q.max_r; rewrite Le, Eq; lra.
Qed.

(** Sorting by slope, largest first. *)
Fixpoint insert (e : Q * Q) (l : chain) : chain :=
  match l with [] => [e] | f :: r => if Qle_bool (snd f) (snd e) then e :: l else f :: insert e r end.

Definition sort (l : chain) : chain := fold_right insert [] l.

Fixpoint descending (l : chain) : Prop :=
  match l with [] => True | e :: r => (forall f, In f r -> snd f <= snd e) /\ descending r end.

Lemma insert_in e l f : In f (insert e l) <-> f = e \/ In f l.
Proof.
  induction l as [|g r IH]; simpl; [intuition congruence|].
  destruct (Qle_bool _ _); simpl; [intuition congruence|]. rewrite IH. intuition.
Qed.

Lemma insert_descending e l : descending l -> descending (insert e l).
Proof.
  induction l as [|f r IH]; simpl; [intuition; contradiction|]. intros [H D].
  destruct (Qle_bool (snd f) (snd e)) eqn:C; simpl.
  - apply Qle_bool_iff in C. split; [|auto]. intros g [<-|I]; [lra|]. specialize (H g I). lra.
  - split; [|auto]. intros g I. apply insert_in in I as [->|I]; [|auto].
    apply Qlt_le_weak, Qnot_le_lt. intros X. apply Qle_bool_iff in X. congruence.
Qed.

Lemma insert_value e l a b : value (insert e l) a b == Qmax (line e a b) (value l a b).
Proof.
  induction l as [|f r IH]; simpl; [reflexivity|]. destruct (Qle_bool _ _); simpl; [reflexivity|].
  rewrite IH, !Q.max_assoc, (Q.max_comm (line f a b)). reflexivity.
Qed.

Fixpoint edges (l : chain) : pairs :=
  match l with [] => [] | e :: r => push (edges r) (fst e) (snd e) end.

Lemma edges_spec l : descending l -> nonneg l ->
  ordered (edges l) /\ nonneg (edges l) /\
  (forall m, 0 <= m -> (forall f, In f l -> snd f <= m) -> sum snd (edges l) <= m) /\
  forall a b, 0 <= a -> 0 <= b -> hockey_stick (edges l) a b == value l a b.
Proof.
  induction l as [|e r IH]; intros D N.
  - simpl. repeat split; try easy.
  - destruct D as [De Dr]. destruct (N e) as [N0 N1]; [now left|].
    destruct IH as (O & Nn & Top & H); trivial; [intros f If; apply N; now right|].
    destruct (push_spec (edges r) (fst e) (snd e)) as (O' & N' & T' & H'); trivial; [now apply Top|].
    cbn [edges]. split; [exact O'|]. split; [exact N'|]. split.
    + intros m _ Hm. rewrite T'. apply Hm. now left.
    + intros a b Ha Hb. rewrite (H' a b Ha Hb), (H a b Ha Hb), Q.max_comm. destruct e. reflexivity.
Qed.

Theorem envelope (C : chain) : nonneg C ->
  nonneg (edges (sort C)) /\ forall a b, 0 <= a -> 0 <= b -> hockey_stick (edges (sort C)) a b == value C a b.
Proof.
  intros N.
  assert (descending (sort C)) as D by (induction C; simpl; [exact I|]; apply insert_descending, IHC; intros f If;
      apply N; now right).
  assert (nonneg (sort C)) as NS.
  { intros f If. apply N. clear -If. induction C as [|e r IH]; simpl in *; [exact If|].
    apply insert_in in If as [->|If]; [now left|right; now apply IH]. }
  destruct (edges_spec (sort C) D NS) as (_ & N' & _ & H). split; [exact N'|].
  intros a b Ha Hb. rewrite (H a b Ha Hb). clear. induction C as [|e r IH]; simpl; [reflexivity|].
  now rewrite insert_value, IH.
Qed.

(** ... and conversely: the curve of a pair is the maximum over all sets of atoms. *)
Fixpoint subsets (E : pairs) : chain :=
  match E with
  | [] => [(0, 0)]
  | z :: r => subsets r ++ map (fun s => (fst z + fst s, snd z + snd s)) (subsets r)
  end.

Lemma value_app C C' a b : value (C ++ C') a b == Qmax (value C a b) (value C' a b).
Proof.
  induction C as [|e r IH]; simpl; [symmetry; apply Q.max_r, value_nonneg|]. now rewrite IH, Q.max_assoc.
Qed.

Lemma value_least C a b m : 0 <= m -> (forall e, In e C -> line e a b <= m) -> value C a b <= m.
Proof.
  intros M H. induction C as [|e r IH]; simpl; [exact M|].
  apply Q.max_lub; [apply H; now left|apply IH; intros; apply H; now right].
Qed.

Lemma value_above C a b e : In e C -> line e a b <= value C a b.
Proof.
  induction C as [|f r IH]; simpl; [easy|]. intros [->|I]; [apply Q.le_max_l|].
  eapply Qle_trans; [apply (IH I)|apply Q.le_max_r].
Qed.

Lemma subsets_reach E a b : exists s, In s (subsets E) /\ line s a b == hockey_stick E a b.
Proof.
  induction E as [|z r [s [I H]]]; simpl.
  - exists (0, 0). split; [now left|]. unfold line, hockey_stick. simpl. lra.
  - destruct (Qlt_le_dec (line z a b) 0) as [P|P].
    + exists s. split; [apply in_or_app; now left|]. rewrite hockey_stick_cons, H. unfold plus. rewrite Q.max_l; lra.
    + exists (fst z + fst s, snd z + snd s). split.
      * apply in_or_app. right. apply in_map_iff. now exists s.
      * rewrite hockey_stick_cons, <- H. unfold plus. rewrite Q.max_r by lra. unfold line. simpl. lra.
Qed.

Lemma subsets_below E a b s : In s (subsets E) -> line s a b <= hockey_stick E a b.
Proof.
  revert s. induction E as [|z r IH]; simpl; intros s I.
  - destruct I as [<-|[]]. unfold line, hockey_stick. simpl. lra.
  - rewrite hockey_stick_cons. apply in_app_or in I as [I|I].
    + pose proof (plus_nonneg (line z a b)). specialize (IH s I). lra.
    + apply in_map_iff in I as [t [<- I]]. specialize (IH t I). pose proof (plus_above (line z a b)).
      unfold line in *. simpl. lra.
Qed.

Lemma subsets_value E a b : value (subsets E) a b == hockey_stick E a b.
Proof.
  apply Qle_antisym.
  - apply value_least; [apply hockey_stick_nonneg|apply subsets_below].
  - destruct (subsets_reach E a b) as [s [I <-]]. now apply value_above.
Qed.

Lemma subsets_nonneg E : nonneg E -> nonneg (subsets E).
Proof.
  induction E as [|z r IH]; simpl; intros N s I.
  - destruct I as [<-|[]]. simpl. lra.
  - assert (nonneg (subsets r)) as Nr by (apply IH; intros w Iw; apply N; now right).
    apply in_app_or in I as [I|I]; [now apply Nr|].
    apply in_map_iff in I as [t [<- I]]. specialize (Nr t I). destruct (N z); [now left|]. simpl. lra.
Qed.
