(** Finds certificates for cores.  Nothing here is proven, nor needs to be: [check_core] judges what comes out. *)
From Coq Require Import QArith List.
From Dpcert Require Import Sums Games Chains PairedSimulation.
Import ListNotations.
Open Scope Q_scope.

Definition lt (p q : Q) : bool := negb (Qle_bool q p).

(** The next corner of the upper left boundary after [p]: steepest, and of equally steep points the farthest. *)
Fixpoint next_corner (p : Q * Q) (l : chain) (best : option (Q * Q)) : option (Q * Q) :=
  match l with
  | [] => best
  | e :: r =>
    let better :=
      match best with
      | None => true
      | Some f =>
        let x := (snd e - snd p) * (fst f - fst p) in
        let y := (snd f - snd p) * (fst e - fst p) in
        lt y x || (Qeq_bool x y && lt (fst f) (fst e))
      end in
    next_corner p r (if lt (fst p) (fst e) && lt (snd p) (snd e) && better then Some e else best)
  end.

Fixpoint corners (fuel : nat) (p : Q * Q) (l : chain) : chain :=
  match fuel with
  | O => [p]
  | S k => p :: match next_corner p l None with Some q => corners k q l | None => [] end
  end.

Definition hull (l : chain) : chain :=
  let top := fold_right (fun e m => if Qeq_bool (fst e) 0 && lt m (snd e) then snd e else m) 0 l in
  corners (length l) (0, top) l.

Fixpoint minkowski (os : outcomes) : chain :=
  match os with
  | [] => [(0, 0)]
  | ((k0, k1), C) :: r =>
    let s := minkowski r in
    hull (flat_map (fun e => map (fun f => (Qred (fst e * k0 + fst f), Qred (snd e * k1 + snd f))) s) C)
  end.

Section Solve.
Context {X Y : Type} (outputs : list Y) (neighbours : list X -> list X -> bool) (law : list X -> Y ->
    Q) (moves : list (X * X)).

Fixpoint solve (n : nat) (x0 x1 : list X) : chain :=
  match n with
  | O => trivial
  | S k => hull (trivial ++ flat_map (fun m =>
      let y0 := fst m :: x0 in let y1 := snd m :: x1 in
      if neighbours y0 y1 then minkowski (branches outputs law (fun k => solve k) k y0 y1) else []) moves)
  end.
End Solve.
