(** The exact value of a finite game, as a certificate; and what it says about composition. *)
From Coq Require Import QArith Qminmax List Lqa.
From Dpcert Require Import Sums Games Chains PairedSimulation Tensor Certificates Envelope Strategies.
Import ListNotations.
Open Scope Q_scope.

Section Exact.
Context (K : kernels) (moves : list (kernel_move K)).
Hypothesis moves_all : forall m, In m moves.
Hypothesis kernels_sound : sound_kernels K.

Definition spread (E : kernel_position K -> pairs)
    (os : list (kernel_visible K * (Q * Q) * kernel_position K)) : pairs :=
  flat_map (fun o => map (fun z => (fst (snd (fst o)) * fst z, snd (snd (fst o)) * snd z)) (E (snd o))) os.

Lemma spread_hockey E os a b :
  hockey_stick (spread E os) a b ==
  sum (fun o => hockey_stick (E (snd o)) (a * fst (snd (fst o))) (b * snd (snd (fst o)))) os.
Proof.
  unfold spread, hockey_stick. rewrite sum_flat_map. apply sum_ext. intros o _. rewrite sum_map.
  apply sum_ext. intros z _. simpl. apply plus_compat. lra.
Qed.

Definition choices (E : kernel_position K -> pairs) (p : kernel_position K) : chain :=
  (1, 1) :: flat_map (fun m => match kernel_step K p m with None => [] | Some os => subsets (spread E os) end) moves.

(** Backward induction.  (The sets of atoms make it exponential: it is here to be reasoned about, not to be run.) *)
Fixpoint exact (n : nat) (p : kernel_position K) : pairs :=
  match n with O => [(1, 1)] | S k => edges (sort (choices (exact k) p)) end.

Lemma choices_in E p m os e : kernel_step K p m = Some os -> In e (subsets (spread E os)) -> In e (choices E p).
Proof.
  intros H I. right. apply in_flat_map. exists m. split; [apply moves_all|]. now rewrite H.
Qed.

Lemma choices_out E p e : In e (choices E p) ->
  e = (1, 1) \/ exists m os, kernel_step K p m = Some os /\ In e (subsets (spread E os)).
Proof.
  intros [<-|I]; [now left|]. right. apply in_flat_map in I as [m [_ I]].
  destruct (kernel_step K p m) as [os|] eqn:H; [|easy]. now exists m, os.
Qed.

Lemma exact_nonneg n : forall p, nonneg (exact n p).
Proof.
  induction n as [|n IH]; intros p.
  - intros z [<-|[]]. simpl. lra.
  - apply envelope. intros e I. apply choices_out in I as [->|(m & os & H & I)]; [simpl; lra|].
    revert e I. apply subsets_nonneg. intros z Iz. apply in_flat_map in Iz as [o [Io Iz]].
    apply in_map_iff in Iz as [w [<- Iw]]. destruct (kernels_sound p m os o H Io). destruct (IH (snd o) w Iw).
    simpl. nra.
Qed.

Lemma exact_S n p a b : 0 <= a -> 0 <= b -> hockey_stick (exact (S n) p) a b == value (choices (exact n) p) a b.
Proof.
  apply envelope. intros e I. apply choices_out in I as [->|(m & os & H & I)]; [simpl; lra|].
  revert e I. apply subsets_nonneg. intros z Iz. apply in_flat_map in Iz as [o [Io Iz]].
  apply in_map_iff in Iz as [w [<- Iw]]. destruct (kernels_sound p m os o H Io).
  destruct (exact_nonneg n (snd o) w Iw). simpl. nra.
Qed.

Lemma exact_hinge n p a b : 0 <= a -> 0 <= b -> b - a <= hockey_stick (exact n p) a b.
Proof.
  intros Ha Hb. assert (b - a == line (1, 1) a b) as -> by (unfold line; simpl; lra).
  destruct n as [|n].
  - simpl exact. rewrite hockey_stick_cons. pose proof (plus_above (line (1, 1) a b)).
    change (hockey_stick [] a b) with 0. lra.
  - rewrite exact_S by trivial. apply value_above. now left.
Qed.

Lemma exact_step n p m os : kernel_step K p m = Some os -> forall a b, 0 <= a -> 0 <= b ->
  sum (fun o => hockey_stick (exact n (snd o)) (a * fst (snd (fst o))) (b * snd (snd (fst o)))) os
  <= hockey_stick (exact (S n) p) a b.
Proof.
  intros H a b Ha Hb. rewrite <- spread_hockey, exact_S by trivial. rewrite <- subsets_value.
  apply value_least; [apply value_nonneg|]. intros e I. apply value_above. now apply (choices_in _ p m os).
Qed.

Lemma exact_idle n : forall p, at_most (exact n p) (exact (S n) p).
Proof.
  induction n as [|n IH]; intros p a b Ha Hb.
  - simpl exact at 1. rewrite hockey_stick_cons. change (hockey_stick [] a b) with 0.
    assert (plus (line (1, 1) a b) <= hockey_stick (exact 1 p) a b); [|lra].
    apply plus_least; [apply hockey_stick_nonneg|]. pose proof (exact_hinge 1 p a b Ha Hb). unfold line. simpl fst.
        simpl snd. lra.
  - rewrite exact_S by trivial. apply value_least; [apply hockey_stick_nonneg|].
    intros e I. apply choices_out in I as [->|(m & os & H & I)].
    + pose proof (exact_hinge (S (S n)) p a b Ha Hb). unfold line. simpl fst. simpl snd. lra.
    + eapply Qle_trans; [apply (subsets_below _ a b e I)|].
      eapply Qle_trans; [|apply (exact_step (S n) p m os H a b Ha Hb)].
      rewrite spread_hockey. apply sum_le. intros o Io. destruct (kernels_sound p m os o H Io).
      apply IH; nra.
Qed.

Theorem exact_certifies : certifies K exact.
Proof.
  split; [exact exact_nonneg|split; [exact exact_hinge|split; [exact exact_idle|exact exact_step]]].
Qed.

(** ** The bound is attained, slope by slope, where the adversary sees which outcome occurred *)

Hypothesis eqO : forall x y : kernel_visible K, {x = y} + {x <> y}.
Hypothesis visible : forall p m os, kernel_step K p m = Some os -> NoDup (map (fun o => fst (fst o)) os).

Lemma value_reach C a b : value C a b == 0 \/ exists e, In e C /\ value C a b == line e a b.
Proof.
  induction C as [|e r IH]; simpl; [left; reflexivity|].
  destruct (Q.max_spec (line e a b) (value r a b)) as [[H E]|[H E]].
  - destruct IH as [Z|[f [I F]]]; [left; now rewrite E|]. right. exists f. split; [now right|now rewrite E].
  - right. exists e. split; [now left|exact E].
Qed.

Lemma best n : forall p a b, 0 <= a -> 0 <= b -> exists s, payoff n s p a b == hockey_stick (exact n p) a b.
Proof.
  induction n as [|n IH]; intros p a b Ha Hb.
  - assert (hockey_stick (exact 0 p) a b == plus (b - a)) as Z.
    { simpl exact. rewrite hockey_stick_cons. change (hockey_stick [] a b) with 0.
      rewrite (plus_compat (line (1, 1) a b) (b - a)) by (unfold line; simpl; lra). lra. }
    unfold plus in Z. destruct (Qlt_le_dec 0 (b - a)) as [L|L].
    + exists (Stop true). rewrite Z, Q.max_r; simpl; lra.
    + exists (Stop false). rewrite Z, Q.max_l; simpl; lra.
  - pose proof (exact_S n p a b Ha Hb) as ES.
    destruct (value_reach (choices (exact n) p) a b) as [Z|[e [I E]]].
    + exists (Stop false). rewrite ES, Z. reflexivity.
    + apply choices_out in I as [->|(m & os & H & I)].
      * exists (Stop true). rewrite ES, E. unfold line. simpl. lra.
      * destruct (choose eqO (fun o : kernel_visible K * (Q * Q) * kernel_position K => fst (fst o))
          (fun o s => payoff n s (snd o) (a * fst (snd (fst o))) (b * snd (snd (fst o))) ==
                      hockey_stick (exact n (snd o)) (a * fst (snd (fst o))) (b * snd (snd (fst o)))) (Stop false) os)
          as [next Hn].
        -- apply (visible p m os H).
        -- intros o Io. destruct (kernels_sound p m os o H Io). apply IH; nra.
        -- exists (Ask m next). rewrite ES. simpl payoff. rewrite H.
           transitivity (hockey_stick (spread (exact n) os) a b).
           ++ rewrite spread_hockey. apply sum_ext. intros o Io. now apply Hn.
           ++ apply Qle_antisym.
              ** rewrite <- exact_S, spread_hockey by trivial. now apply (exact_step n p m os).
              ** rewrite E. now apply subsets_below.
Qed.

Theorem exact_attained n p a b : 0 <= a -> 0 <= b ->
  exists (A : adversary (of_kernels K)) phi, is_test A phi /\
  b * probability A n (start p) phi 1 - a * probability A n (start p) phi 0 == hockey_stick (exact n p) a b.
Proof.
  intros Ha Hb. destruct (best n p a b Ha Hb) as [s Hs]. exists (follow s), (accept s).
  destruct (strategy_attained s n p) as [T E]. split; [exact T|now rewrite E].
Qed.

Corollary exact_least n p F :
  (forall (A : adversary (of_kernels K)) phi, is_test A phi -> forall a b, 0 <= a -> 0 <= b ->
     b * probability A n (start p) phi 1 - a * probability A n (start p) phi 0 <= hockey_stick F a b) ->
  at_most (exact n p) F.
Proof.
  intros H a b Ha Hb. destruct (exact_attained n p a b Ha Hb) as (A & phi & T & <-). now apply H.
Qed.
End Exact.

(** Modular composition of finite games, with no certificate in the statement: if no adaptive adversary does better
    than [F] against the head, whose hidden moves it sees, and none better than [R] against the tail, then none does
    better than the tensor product against the composition, whose hidden moves it does not see. *)
Theorem composition_tensor (V : Type) (L : kernels) (hpos hmv : Type)
    (hstep : hpos -> hmv -> option (list ((V * kernel_move L) * (Q * Q) * hpos))) (hmoves : list hmv)
        (lmoves : list (kernel_move L)) :
  (forall x y : V * kernel_move L, {x = y} + {x <> y}) -> (forall x y : kernel_visible L, {x = y} + {x <> y}) ->
  (forall m, In m hmoves) -> (forall m, In m lmoves) ->
  sound_kernels (head V L hpos hmv hstep) -> sound_kernels L ->
  (forall p m os, hstep p m = Some os -> NoDup (map (fun o => fst (fst o)) os)) ->
  (forall q m os, kernel_step L q m = Some os -> NoDup (map (fun o => fst (fst o)) os)) ->
  forall n p q (F R : pairs), nonneg R ->
  (forall (A : adversary (of_kernels (head V L hpos hmv hstep))) phi, is_test A phi -> forall a b, 0 <= a -> 0 <= b ->
     b * probability A n (start (K := head V L hpos hmv hstep) p) phi 1
     - a * probability A n (start (K := head V L hpos hmv hstep) p) phi 0 <= hockey_stick F a b) ->
  (forall (A : adversary (of_kernels L)) phi, is_test A phi -> forall a b, 0 <= a -> 0 <= b ->
     b * probability A n (start q) phi 1 - a * probability A n (start q) phi 0 <= hockey_stick R a b) ->
  forall (A : adversary (of_kernels (composition V L hpos hmv hstep))) phi, is_test A phi ->
  forall a b, 0 <= a -> 0 <= b ->
  b * probability A n (start (K := composition V L hpos hmv hstep) (p, q)) phi 1
  - a * probability A n (start (K := composition V L hpos hmv hstep) (p, q)) phi 0 <= hockey_stick (tensor [F; R]) a b.
Proof.
  intros eqH eqL Hm Lm Hs Ls Hv Lv n p q F R NR HF HR A phi T a b Ha Hb.
  eapply Qle_trans.
  - apply (composition_bound V L (exact L lmoves) hpos hmv hstep (exact (head V L hpos hmv hstep) hmoves) Hs Ls);
      trivial;
      apply exact_certifies; trivial.
  - apply tensor_mono; trivial.
    + apply (exact_nonneg (head V L hpos hmv hstep) hmoves Hs).
    + apply (exact_least (head V L hpos hmv hstep) hmoves Hm Hs eqH Hv n p F HF).
    + apply (exact_least L lmoves Lm Ls eqL Lv n q R HR).
Qed.
