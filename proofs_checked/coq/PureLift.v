(** Pure guarantees lift, whatever the rounds share: the largest likelihood ratio is the same under feedback. *)
From Coq Require Import QArith List Lqa.
From Dpcert Require Import Sums Games PairedSimulation.
Import ListNotations.
Open Scope Q_scope.

Section Pure.
Context {X Y : Type} (outputs : list Y) (neighbours : list X -> list X -> bool) (M : mechanism X Y).

Theorem pure_lift (c : Q) :
  (forall x0 x1 ys, neighbours x0 x1 = true -> length x0 = length ys -> M x1 ys <= c * M x0 ys) ->
  neighbours [] [] = true ->
  forall (A : adversary (paired outputs neighbours M)) phi, is_test A phi ->
  forall n, probability A n init phi 1 <= c * probability A n init phi 0.
Proof.
  intros H N A phi Hphi n.
  assert (1 * probability A n init phi 1 - c * probability A n init phi 0 <= 0) as K; [|lra].
  apply (potential_probability A
    (fun _ v => let '(x0, x1, ys) := v in neighbours x0 x1 = true /\ length x0 = length ys) (fun _ _ => 0)); auto.
  - intros. lra.
  - intros _ [[x0 x1] ys] [Nb Len]. simpl. specialize (H x0 x1 ys Nb Len). lra.
  - intros k [[x0 x1] ys] [i j] os [Nb Len]. simpl. destruct (neighbours (i :: x0) (j :: x1)) eqn:Nb'; [|discriminate].
    intros [= <-]. split.
    + intros o Io. apply in_map_iff in Io as [y [<- _]]. simpl. auto.
    + rewrite sum_zero. lra.
  - simpl. auto.
Qed.
End Pure.
