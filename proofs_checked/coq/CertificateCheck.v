(** The rule of the certificate checker, and what follows where it says true.

    A certificate is a game with a claimed curve at every position ([PositionCheck]), strategies ([PlanCheck]), rows of
    curves for streams that are fixed in advance ([FrontCheck]), and claims: at a slope, an upper bound and a lower
    bound that is attained, for every adversary or for streams fixed in advance. *)
From Coq Require Import QArith List Lqa Bool ZArith FMapPositive.
From Dpcert Require Import Games PairedSimulation Tensor Strategies PositionCheck PlanCheck FrontCheck.
Import ListNotations.
Open Scope Q_scope.

(** [on_fixed]: the claim is about streams fixed in advance; its bound is that of the front of the root, or that of the
    root's curve. *)
Record claim := {
  on_fixed : bool; slope : Q; reversed : bool; upper : Q; lower : Q; attained_by : option positive;
  by_front : option positive }.

Record certificate := {
  positions : list (positive * node);
  root : positive;
  plans : list (positive * plan);
  kept : list (positive * front);
  claims : list claim }.

Definition table_of (c : certificate) : table := of_list (positions c).

Definition check_upper (T : table) (F : fronts) (r : positive) (k : claim) : bool :=
  match by_front k with
  | None => Qle_bool (most_scaled (curve_at T (Some r)) (reversed k) (slope k)) (upper k)
  | Some g =>
    on_fixed k &&
    match PositiveMap.find g F with
    | None => false
    | Some f =>
      existsb (Pos.eqb r) (front_at f) &&
      forallb (fun row => Qle_bool (most_scaled (row_curve (front_at f) row r) (reversed k) (slope k)) (upper k)) (rows f)
    end
  end.

Definition check_lower (r : positive) (known : chances) (k : claim) : bool :=
  match attained_by k with
  | None => Qle_bool (lower k) 0
  | Some j =>
    match PositiveMap.find j known with
    | Some (v, (p0, p1), stream) =>
      Pos.eqb v r && Qle_bool (lower k) (gained (reversed k) (slope k) p0 p1)
      && (negb (on_fixed k) || match stream with Some _ => true | None => false end)
    | None => false
    end
  end.

Definition check (c : certificate) : bool :=
  check_positions (positions c) && check_fronts (table_of c) (kept c) &&
  match evaluated (table_of c) (PositiveMap.empty _) (plans c) with
  | None => false
  | Some known =>
    forallb (fun k => Qle_bool 0 (slope k) && check_upper (table_of c) (of_list (kept c)) (root c) k
                      && check_lower (root c) known k) (claims c)
  end.

(** The adversaries that a claim is about: all, or those that write some stream whatever they see. *)
Definition concerned (k : claim) {K : kernels} (A : adversary (of_kernels K)) : Prop :=
  on_fixed k = true -> exists ms, writes A ms.

(** No adversary that a claim is about, randomised as it may be, exceeds the upper bound, with any test over any number
    of rounds; and one of them attains the lower bound. *)
Theorem check_sound (c : certificate) : check c = true ->
  let K := of_table (table_of c) in let v := start (K := K) (Some (root c)) in
  forall k, In k (claims c) ->
  (forall (A : adversary (of_kernels K)) phi, concerned k A -> is_test A phi -> forall n,
     gained (reversed k) (slope k) (probability A n v phi 0) (probability A n v phi 1) <= upper k) /\
  (exists n (A : adversary (of_kernels K)) phi, concerned k A /\ is_test A phi /\
     lower k <= gained (reversed k) (slope k) (probability A n v phi 0) (probability A n v phi 1)).
Proof.
  intros H K v k I. unfold check in H. rewrite !andb_true_iff in H. destruct H as [[P Fr] H].
  destruct (evaluated _ _ _) as [known|] eqn:E; [|discriminate]. rewrite forallb_forall in H. specialize (H k I).
  rewrite !andb_true_iff in H. destruct H as [[S U] L]. apply Qle_bool_iff in S. split.
  - intros A phi Con Ht n. unfold check_upper in U. destruct (by_front k) as [g|].
    + apply andb_true_iff in U as [Fx U]. destruct (Con Fx) as [ms Wr].
      destruct (PositiveMap.find g (of_list (kept c))) as [f|] eqn:Ef; [|discriminate].
      apply andb_true_iff in U as [At U]. rewrite forallb_forall in U.
      apply existsb_exists in At as [r [Ir Er]]. apply Pos.eqb_eq in Er as <-. apply of_list_in in Ef.
      assert (forall psi a b, is_test A psi -> 0 <= a -> 0 <= b -> exists row, In row (rows f) /\
        b * probability A n v psi 1 - a * probability A n v psi 0 <= worth (row_curve (front_at f) row (root c)) a b) as B.
      { intros psi a b Hp Ha Hb.
        destruct (front_sound (table_of c) (kept c) Fr A ms psi a b Wr Hp Ha Hb ms g f Ef) as (row & R & B).
        exists row. split; [exact R|]. specialize (B (root c) n [] 1 1 Ir). rewrite !Qmult_1_r_eq in B.
        unfold probability. rewrite total_diff. eapply Qle_trans; [|apply B; try lra; [constructor|reflexivity]].
        unfold won, total, v, start, K. apply Qle_lteq. right. apply Sums.sum_ext. intros. ring. }
      assert (forall row, In row (rows f) ->
        most (row_curve (front_at f) row (root c)) (reversed k) (slope k) <= upper k) as Up.
      { intros row R. specialize (U row R). apply Qle_bool_iff in U. rewrite most_scaled_spec in U; [exact U|].
        apply (row_at_sound (front_at f) row (Some (root c))).
        unfold check_fronts in Fr. rewrite forallb_forall in Fr. specialize (Fr _ Ef). simpl in Fr.
        unfold check_front in Fr. rewrite !andb_true_iff in Fr. destruct Fr as [[[_ Cv] _] _].
        rewrite forallb_forall in Cv. now apply Cv. }
      destruct (reversed k); unfold gained, most in *.
      * assert (is_test A (fun h => 1 - phi h)) as Ht' by (intros h; specialize (Ht h); lra).
        destruct (B (fun h => 1 - phi h) 1 (slope k) Ht') as (row & R & Le); [lra|exact S|].
        specialize (Up row R). unfold v, K, table_of in *.
        rewrite !probability_not, !(table_probability_total _ P) in Le. lra.
      * destruct (B phi (slope k) 1 Ht S) as (row & R & Le); [lra|]. specialize (Up row R). lra.
    + apply Qle_bool_iff in U. eapply Qle_trans; [|exact U].
      rewrite most_scaled_spec by (apply curve_at_spec, P). now apply upper_sound.
  - unfold check_lower in L. destruct (attained_by k) as [j|].
    + destruct (PositiveMap.find j known) as [[[u [p0 p1]] stream]|] eqn:F; [|discriminate].
      rewrite !andb_true_iff in L. destruct L as [[Eu L] St]. apply Pos.eqb_eq in Eu as ->. apply Qle_bool_iff in L.
      assert (reaches (table_of c) (Some (root c)) (p0, p1) stream) as R.
      { apply (evaluated_sound (table_of c) (plans c) (PositiveMap.empty _) known) with (2 := E) (k := j); [|exact F].
        intros ? ? ? ? X. now rewrite PositiveMap.gempty in X. }
      destruct (reaches_attained _ _ _ _ R) as (n & A & phi & Ht & Wr & G). exists n, A, phi.
      split; [|split; [exact Ht|unfold v, K; rewrite G; exact L]].
      intros Fx. rewrite Fx in St. simpl in St. destruct stream as [ms|]; [|discriminate]. exists ms. now apply Wr.
    + apply Qle_bool_iff in L. assert (reaches (table_of c) (Some (root c)) (0, 0) (Some [])) as R.
      { exists (Stop false), O. split; [exact Logic.I|]. intros [|n] _ a b; simpl; lra. }
      destruct (reaches_attained _ _ _ _ R) as (n & A & phi & Ht & Wr & G). exists n, A, phi.
      split; [intros _; exists []; now apply Wr|]. split; [exact Ht|]. unfold v, K. rewrite G.
      unfold gained. destruct (reversed k); simpl; lra.
Qed.
