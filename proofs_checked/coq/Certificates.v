(** Composition of certificates: the paper's thm:DP-comp without exact simulation.

    A certificate gives every position a pair of measures; its hockey-stick curve bounds what is still to be gained
    there.  Certificates of a head and of a tail multiply: their tensor product certifies the composition, in which
    the head hands moves to the tail that the adversary does not see. *)
From Coq Require Import QArith List Lqa.
From Dpcert Require Import Sums Games Chains PairedSimulation Tensor.
Import ListNotations.
Open Scope Q_scope.

Definition sound_kernels (K : kernels) : Prop := forall p m os o,
  kernel_step K p m = Some os -> In o os -> 0 <= fst (snd (fst o)) /\ 0 <= snd (snd (fst o)).

(** [D n p]: the pair at [p] with [n] rounds left. *)
Definition certifies (K : kernels) (D : nat -> kernel_position K -> pairs) : Prop :=
  (forall n p, nonneg (D n p)) /\
  (forall n p a b, 0 <= a -> 0 <= b -> b - a <= hockey_stick (D n p) a b) /\
  (forall n p, at_most (D n p) (D (S n) p)) /\
  (forall n p m os, kernel_step K p m = Some os -> forall a b, 0 <= a -> 0 <= b ->
     sum (fun o => hockey_stick (D n (snd o)) (a * fst (snd (fst o))) (b * snd (snd (fst o)))) os <=
         hockey_stick (D (S n) p) a b).

Theorem certifies_sound K D : sound_kernels K -> certifies K D ->
  forall (A : adversary (of_kernels K)) phi, is_test A phi -> forall n p a b, 0 <= a -> 0 <= b ->
  b * probability A n (start p) phi 1 - a * probability A n (start p) phi 0 <= hockey_stick (D n p) a b.
Proof.
  intros S (_ & H & _ & K1) A phi T n p a b Ha Hb.
  apply (certificate_sound K (fun n p => hockey_stick (D n p)) S); auto. intros. apply hockey_stick_nonneg.
Qed.

Lemma tensor_two R S a b : hockey_stick (tensor [R; S]) a b == sum (fun z => hockey_stick S (a * fst z) (b * snd z)) R.
Proof.
  rewrite tensor_cons. apply sum_ext. intros z _. rewrite tensor_cons. unfold hockey_stick at 2.
  apply sum_ext. intros w _. rewrite tensor_nil. apply plus_compat. lra.
Qed.

Lemma tensor_mono R R' S S' : nonneg R -> nonneg S' -> at_most R R' -> at_most S S' ->
  at_most (tensor [R; S]) (tensor [R'; S']).
Proof.
  intros NR NS HR HS a b Ha Hb. rewrite !tensor_two.
  transitivity (sum (fun z => hockey_stick S' (a * fst z) (b * snd z)) R).
  - apply sum_le. intros z I. destruct (NR z I). apply HS; nra.
  - now apply replace_round.
Qed.

Section Concurrent.
Context (V : Type) (L : kernels) (D : nat -> kernel_position L -> pairs).

(** The head shows something in [V] and hands a move to the tail [L].  The paired case: its moves are pairs of
    inputs, and the hidden moves are pairs of neighbouring hidden outputs. *)
Context (hpos hmv : Type) (hstep : hpos -> hmv -> option (list ((V * kernel_move L) * (Q * Q) * hpos))).
Definition head : kernels := {| kernel_position := hpos; kernel_move := hmv; kernel_visible := V * kernel_move L;
    kernel_step := hstep |}.

(** The composition shows what the head and the tail show, and hides the moves between them.  A tail that refuses a
    move shows nothing and stays where it is. *)
Definition composition : kernels := {|
  kernel_position := hpos * kernel_position L;
  kernel_move := hmv;
  kernel_visible := V * option (kernel_visible L);
  kernel_step := fun v m => option_map (flat_map (fun o : (V * kernel_move L) * (Q * Q) * hpos =>
    let '((seen, l), k, p) := o in
    match kernel_step L (snd v) l with
    | None => [((seen, None), k, (p, snd v))]
    | Some os => map (fun o' : kernel_visible L * (Q * Q) * kernel_position L =>
        let '(w, k', q) := o' in ((seen, Some w), (fst k * fst k', snd k * snd k'), (p, q))) os
    end)) (hstep (fst v) m) |}.

Theorem composition_certified (C : nat -> hpos -> pairs) : sound_kernels head ->
  certifies head C -> certifies L D -> certifies composition (fun n v => tensor [C n (fst v); D n (snd v)]).
Proof.
  intros Hs (CN & CH & CI & CS) (DN & DH & DI & DS). split; [|split; [|split]].
  - intros n [p q]. apply tensor_nonneg. intros R [<-|[<-|[]]]; auto.
  - intros n [p q] a b Ha Hb. cbn [fst snd]. rewrite tensor_two. eapply Qle_trans; [apply (CH n p a b Ha Hb)|].
    apply sum_le. intros z I. destruct (CN n p z I). apply plus_least; [apply hockey_stick_nonneg|].
    apply DH; nra.
  - intros n [p q]. apply tensor_mono; auto.
  - intros n [p q] m os E a b Ha Hb. simpl in E. destruct (hstep p m) as [hs|] eqn:Eh; [|discriminate].
    injection E as <-. cbn [fst snd].
    transitivity (sum (fun o : (V * kernel_move L) * (Q * Q) * hpos =>
      sum (fun w => hockey_stick (C n (snd o)) (a * fst w * fst (snd (fst o))) (b * snd w * snd (snd (fst o))))
          (D (S n) q)) hs).
    + rewrite sum_flat_map. apply sum_le. intros [[[seen l] k] p'] Io.
      destruct (Hs p m hs _ Eh Io) as [K0 K1]. simpl in K0, K1. cbn [fst snd].
      assert (0 <= a * fst k) by nra. assert (0 <= b * snd k) by nra.
      (* the tail's round, or its refusal *)
      transitivity (hockey_stick (tensor [C n p'; D (S n) q]) (a * fst k) (b * snd k)).
      * destruct (kernel_step L q l) as [os'|] eqn:El.
        -- rewrite sum_map, tensor_two.
           transitivity (sum (fun o' : kernel_visible L * (Q * Q) * kernel_position L => sum (fun z =>
             hockey_stick (D n (snd o')) (a * fst k * fst z * fst (snd (fst o')))
                 (b * snd k * snd z * snd (snd (fst o'))))
             (C n p')) os').
           ++ apply sum_le. intros [[w k'] q'] _. cbn [fst snd]. apply Qle_lteq. right. rewrite tensor_two.
              apply sum_ext. intros z _. apply hockey_stick_compat; lra.
           ++ rewrite sum_swap. apply sum_le. intros z Iz. destruct (CN n p' z Iz). apply (DS n q l os' El); nra.
        -- cbn [sum fst snd]. rewrite Qplus_0_r. apply tensor_mono; auto. intros ? ? ? ?. apply Qle_refl.
      * apply Qle_lteq. right. rewrite tensor_two, (hockey_stick_swap (C n p') (D (S n) q)).
        apply sum_ext. intros w _. apply hockey_stick_compat; lra.
    + (* the head's round *)
      rewrite sum_swap, tensor_two, (hockey_stick_swap (C (S n) p) (D (S n) q)).
      apply sum_le. intros w Iw. destruct (DN (S n) q w Iw). apply (CS n p m hs Eh); nra.
Qed.

Lemma composition_sound : sound_kernels head -> sound_kernels L -> sound_kernels composition.
Proof.
  intros Hs Ls [p q] m os o E I. simpl in E. destruct (hstep p m) as [hs|] eqn:Eh; [|discriminate].
  injection E as <-. apply in_flat_map in I as [[[[seen l] k] p'] [Ih I]].
  destruct (Hs p m hs _ Eh Ih) as [K0 K1]. simpl in K0, K1, I.
  destruct (kernel_step L q l) as [os'|] eqn:El.
  - apply in_map_iff in I as [[[w k'] q'] [<- I]]. destruct (Ls q l os' _ El I) as [L0 L1]. simpl in *. nra.
  - destruct I as [<-|[]]. simpl. auto.
Qed.

(** No adaptive adversary against the composition exceeds the tensor product of the two certificates. *)
Corollary composition_bound (C : nat -> hpos -> pairs) : sound_kernels head -> sound_kernels L ->
  certifies head C -> certifies L D ->
  forall (A : adversary (of_kernels composition)) phi, is_test A phi -> forall n p q a b, 0 <= a -> 0 <= b ->
  b * probability A n (start (K := composition) (p, q)) phi 1 
  - a * probability A n (start (K := composition) (p, q)) phi 0
  <= hockey_stick (tensor [C n p; D n q]) a b.
Proof.
  intros Hs Ls HC HL A phi T n p q.
  exact (certifies_sound composition _ (composition_sound Hs Ls) (composition_certified C Hs HC HL) A phi T n (p, q)).
Qed.
End Concurrent.
