(** The rule for streams that are fixed in advance: rows of curves at positions that one pair of streams can lead to. For
    every option and every row of what follows, some row bounds it at all positions: what is not kept is dominated. *)
From Coq Require Import QArith List Lqa Lia Bool ZArith FMapPositive.
From Dpcert Require Import Sums Games Chains PairedSimulation Tensor Envelope Strategies CurveOrder PositionCheck.
Import ListNotations.
Open Scope Q_scope.

(** [by_row]: for every option, the front that follows ([None]: all is over), and for each of its rows the number of the
    row here that bounds it. *)
Record front := { front_at : list positive; rows : list (list pairs); by_row : list (option positive * list nat) }.

Fixpoint row_curve (at_ : list positive) (row : list pairs) (k : positive) : pairs :=
  match at_, row with
  | k' :: r, C :: s => if Pos.eqb k k' then C else row_curve r s k
  | _, _ => over
  end.

Definition row_at (at_ : list positive) (row : list pairs) (v : option positive) : pairs :=
  match v with Some k => row_curve at_ row k | None => over end.

Definition fronts := PositiveMap.t front.

Definition following (F : fronts) (g : option positive) : option (list positive * list (list pairs)) :=
  match g with
  | None => Some ([], [[]])
  | Some k => match PositiveMap.find k F with Some f => Some (front_at f, rows f) | None => None end
  end.

(** One option, one row of what follows, one row here. *)
Definition check_row (T : table) (f : front) (m : nat) (at' : list positive) (row row' : list pairs) : bool :=
  forallb (fun k =>
    match nth_error (options_at T (Some k)) m with
    | None => false
    | Some os =>
      forallb (fun o : outcome => match snd o with Some k' => existsb (Pos.eqb k') at' | None => true end) os
      && check_option (row_at at' row') (row_curve (front_at f) row k) os
    end) (front_at f).

Definition check_front (T : table) (F : fronts) (f : front) : bool :=
  negb (Nat.eqb (length (rows f)) 0)
  && forallb (forallb is_curve) (rows f)
  && forallb (fun k => Nat.eqb (length (options_at T (Some k))) (length (by_row f))) (front_at f)
  && forallb (fun m_by : nat * (option positive * list nat) =>
       match following F (fst (snd m_by)) with
       | None => false
       | Some (at', rows') =>
         Nat.eqb (length (snd (snd m_by))) (length rows') &&
         forallb (fun i_row : nat * list pairs =>
           match nth_error (rows f) (fst i_row) with
           | None => false
           | Some row => check_row T f (fst m_by) at' row (snd i_row)
           end) (combine (snd (snd m_by)) rows')
       end) (combine (seq 0 (length (by_row f))) (by_row f)).

Definition check_fronts (T : table) (l : list (positive * front)) : bool :=
  let F : fronts := of_list l in forallb (fun kf => check_front T F (snd kf)) l.

Lemma row_at_sound at_ row v : forallb is_curve row = true -> sound_curve (row_at at_ row v).
Proof.
  intros H. destruct v as [k|]; [|exact over_sound]. simpl. revert row H.
  induction at_ as [|k' r IH]; intros [|C s] H; simpl; try exact over_sound.
  simpl in H. apply andb_true_iff in H as [HC H]. destruct (Pos.eqb k k'); [now apply is_curve_spec|now apply IH].
Qed.

Lemma in_combine_seq {X} (l : list X) : forall s m x, nth_error l m = Some x -> In ((s + m)%nat, x) (combine (seq s (length l)) l).
Proof.
  induction l as [|y l IH]; intros s [|m] x H; simpl in *; try discriminate.
  - injection H as ->. left. now rewrite Nat.add_0_r.
  - right. specialize (IH (S s) m x H). now rewrite Nat.add_succ_r, <- Nat.add_succ_l.
Qed.

Section Fixed.
Context (T : table) (l : list (positive * front)).
Hypothesis checked : check_fronts T l = true.
Notation K := (of_table T).
Context (A : adversary (of_kernels K)) (all : list nat) (phi : view A -> Q) (a b : Q).
Hypothesis writes_all : writes A all.
Hypothesis test : is_test A phi.
Hypothesis a_nonneg : 0 <= a.
Hypothesis b_nonneg : 0 <= b.

Definition won (n : nat) (v : option positive) (w0 w1 : Q) (h : view A) : Q :=
  total A (fun g u => phi g * (b * likelihood (of_kernels K) 1 u - a * likelihood (of_kernels K) 0 u)) n (v, (w0, w1)) h.

Definition seen_all (h : view A) : Prop := Forall (fun e => snd e <> None) h.

Lemma stop_bounded C w0 w1 q : sound_curve C -> 0 <= w0 -> 0 <= w1 -> 0 <= q <= 1 ->
  q * (b * w1 - a * w0) <= worth C (a * w0) (b * w1).
Proof.
  intros (_ & S0 & S1) W0 W1 Hq.
  assert (b * w1 - a * w0 <= worth C (a * w0) (b * w1)).
  { unfold worth. eapply Qle_trans; [|apply hockey_stick_ends]. unfold line. cbn [fst snd].
    apply Qle_lteq. right. field. split; lra. }
  assert (0 <= worth C (a * w0) (b * w1)) by apply hockey_stick_nonneg. nra.
Qed.

(** Where nothing more is shown. *)
Lemma won_stopped n v w0 w1 h C : sound_curve C -> 0 <= w0 -> 0 <= w1 ->
  (forall c m, act A h c = Some m -> kernel_step K v m = None) -> won n v w0 w1 h <= worth C (a * w0) (b * w1).
Proof.
  intros SC W0 W1 Stop. unfold won. destruct n as [|n].
  - rewrite total_0. cbn [likelihood of_kernels fst snd]. now apply stop_bounded.
  - rewrite total_S. apply sum_mean; [apply draw_nonneg|apply draw_total|]. intros p _.
    destruct (act A h (snd p)) as [m|] eqn:E; cbn [reply].
    + cbn [step of_kernels fst snd]. rewrite (Stop _ _ E). cbn [option_map likelihood of_kernels fst snd].
      now apply stop_bounded.
    + cbn [likelihood of_kernels fst snd]. now apply stop_bounded.
Qed.

Lemma front_sound : forall ms k f, In (k, f) l ->
  exists row, In row (rows f) /\ forall v n h w0 w1, In v (front_at f) -> 0 <= w0 -> 0 <= w1 -> seen_all h ->
    (forall j, nth_error ms j = nth_error all (length h + j)) ->
    won n (Some v) w0 w1 h <= worth (row_curve (front_at f) row v) (a * w0) (b * w1).
Proof.
  induction ms as [|x ms IH]; intros k f I;
    pose proof checked as C; unfold check_fronts in C; rewrite forallb_forall in C; specialize (C _ I); simpl in C;
    unfold check_front in C; rewrite !andb_true_iff in C; destruct C as [[[Some_row Curves] Same] By];
    rewrite forallb_forall in Curves.
  - destruct (rows f) as [|row rs] eqn:Er; [discriminate|]. exists row. split; [now left|].
    intros v n h w0 w1 _ W0 W1 Seen At.
    apply won_stopped; trivial; [apply (row_at_sound _ _ (Some v)), Curves; now left|].
    intros c m E. apply writes_all in E; [|exact Seen]. specialize (At O). rewrite Nat.add_0_r in At.
    pose proof (eq_trans At E) as X. discriminate X.
  - destruct (nth_error (by_row f) x) as [[g ats]|] eqn:Ex.
    + rewrite forallb_forall in By. specialize (By _ (in_combine_seq _ O x _ Ex)). cbn [fst snd Nat.add] in By.
      destruct (following (of_list l) g) as [[at' rows']|] eqn:Eg; [|discriminate].
      apply andb_true_iff in By as [Len By]. rewrite forallb_forall in By.
      (* the row of what follows *)
      assert (exists row', In row' rows' /\ forallb is_curve row' = true /\
        forall v n h w0 w1, In v at' -> 0 <= w0 -> 0 <= w1 -> seen_all h ->
        (forall j, nth_error ms j = nth_error all (length h + j)) ->
        won n (Some v) w0 w1 h <= worth (row_curve at' row' v) (a * w0) (b * w1)) as (row' & In' & Curve' & After).
      { destruct g as [k'|]; simpl in Eg.
        - destruct (PositiveMap.find k' (of_list l)) as [f'|] eqn:Ef; [|discriminate]. injection Eg as <- <-.
          apply of_list_in in Ef. destruct (IH k' f' Ef) as (row' & R & H). exists row'. split; [exact R|]. split; [|exact H].
          pose proof checked as C. unfold check_fronts in C. rewrite forallb_forall in C. specialize (C _ Ef). simpl in C.
          unfold check_front in C. rewrite !andb_true_iff in C. destruct C as [[[_ C] _] _].
          rewrite forallb_forall in C. now apply C.
        - injection Eg as <- <-. exists []. split; [now left|]. split; [reflexivity|]. intros v n h w0 w1 []. }
      assert (exists i, In (i, row') (combine ats rows')) as [i Ii].
      { apply Nat.eqb_eq in Len. clear -Len In'. revert ats Len. induction rows' as [|r rows' IHr]; [easy|].
        intros [|y ats] Len; [discriminate|]. injection Len as Len. destruct In' as [->|In'].
        - exists y. now left.
        - destruct (IHr In' ats Len) as [i Ii]. exists i. now right. }
      specialize (By _ Ii). cbn [fst snd] in By. destruct (nth_error (rows f) i) as [row|] eqn:Er; [|discriminate].
      exists row. split; [now apply nth_error_In in Er|].
      intros v n h w0 w1 Iv W0 W1 Seen At.
      assert (sound_curve (row_curve (front_at f) row v)) as SC
        by (apply (row_at_sound _ _ (Some v)), Curves; now apply nth_error_In in Er).
      unfold check_row in By. rewrite forallb_forall in By. specialize (By v Iv).
      destruct (nth_error (options_at T (Some v)) x) as [os|] eqn:Eo; [|discriminate].
      apply andb_true_iff in By as [Next By]. rewrite forallb_forall in Next.
      apply check_option_sound in By; [|intros u; now apply row_at_sound|exact SC].
      destruct By as (T0 & T1 & W & By).
      destruct n as [|n].
      { unfold won. rewrite total_0. cbn [likelihood of_kernels fst snd]. now apply stop_bounded. }
      unfold won. rewrite total_S. apply sum_mean; [apply draw_nonneg|apply draw_total|]. intros p _.
      destruct (act A h (snd p)) as [m|] eqn:E; cbn [reply].
      2:{ cbn [likelihood of_kernels fst snd]. now apply stop_bounded. }
      apply writes_all in E; [|exact Seen]. pose proof (At O) as At0. rewrite Nat.add_0_r in At0.
      assert (m = x) as -> by (pose proof (eq_trans At0 E) as X; simpl in X; congruence). cbn [step of_kernels fst snd of_table kernel_step]. rewrite Eo. cbn [option_map].
      rewrite sum_map. unfold normal. rewrite sum_map. cbn [fst snd].
      assert (0 <= a * w0) as A0 by nra. assert (0 <= b * w1) as B0 by nra.
      eapply Qle_trans; [|apply (By (a * w0) (b * w1) A0 B0)]. apply sum_le. intros o Io. destruct (W o Io) as [K0 K1].
      assert (0 <= fst (snd (fst o)) / total0 os) as P0 by (apply Qle_shift_div_l; lra).
      assert (0 <= snd (snd (fst o)) / total1 os) as P1 by (apply Qle_shift_div_l; lra).
      assert (0 <= w0 * (fst (snd (fst o)) / total0 os)) as P0' by nra.
      assert (0 <= w1 * (snd (snd (fst o)) / total1 os)) as P1' by nra.
      rewrite <- !Qmult_assoc_eq. specialize (Next o Io). destruct (snd o) as [v'|] eqn:Ev.
      * apply After; trivial.
        -- apply existsb_exists in Next as [u [Iu Eu]]. now apply Pos.eqb_eq in Eu as ->.
        -- constructor; [simpl; congruence|exact Seen].
        -- intros j. specialize (At (S j)). simpl in At. rewrite At. simpl length. now rewrite Nat.add_succ_r.
      * apply won_stopped; trivial; [exact over_sound|]. intros c m _. simpl. now destruct m.
    + destruct (rows f) as [|row rs] eqn:Er; [discriminate|]. exists row. split; [now left|].
      intros v n h w0 w1 Iv W0 W1 Seen At.
      apply won_stopped; trivial; [apply (row_at_sound _ _ (Some v)), Curves; now left|].
      intros c m E. apply writes_all in E; [|exact Seen]. pose proof (At O) as At0. rewrite Nat.add_0_r in At0.
      assert (m = x) as -> by (pose proof (eq_trans At0 E) as X; simpl in X; congruence). cbn [of_table kernel_step].
      rewrite forallb_forall in Same. specialize (Same v Iv). apply Nat.eqb_eq in Same.
      assert (nth_error (options_at T (Some v)) x = None) as ->; [|reflexivity].
      apply nth_error_None. rewrite Same. now apply nth_error_None.
Qed.
End Fixed.
