(** The two-round mechanism of the paper's section "Why Independent Decomposability Alone Is Insufficient": fixed
    streams reach total variation 9/100 and no more, adaptive adversaries 991/10000 and no more. *)
From Coq Require Import QArith Qminmax Qabs List Bool Lqa.
From Dpcert Require Import Sums Games Chains PairedSimulation Solving.
Import ListNotations.
Open Scope Q_scope.

Definition chance (p : Q) (y : bool) : Q := if y then p else 1 - p.

(** Inputs are newest first: [[q; b]] is b in round 1 and q in round 2. *)
Definition law (xs : list bool) : bool -> Q :=
  chance match xs with
  | [false] => 68 # 100
  | [true] => 65 # 100
  | [false; false] => 28 # 100
  | [true; false] => 20 # 100
  | [false; true] => 19 # 100
  | [true; true] => 28 # 100
  | _ => 1 # 2
  end.

Definition bits := [false; true].
Definition M : mechanism bool bool := core law.
Definition neighbours := hamming bool_dec.
Definition G : game := paired bits neighbours M.
Definition moves := list_prod bits bits.

Lemma law_nonneg xs y : 0 <= law xs y.
Proof.
  unfold law, chance.
  destruct xs as [|[] [|[] [|? ?]]]; destruct y; simpl; compute; discriminate.
Qed.

Lemma law_total xs : sum (law xs) bits == 1.
Proof. unfold law, chance. simpl. lra. Qed.

Lemma moves_all m : In m moves.
Proof. destruct m as [[] []]; simpl; tauto. Qed.

Definition cert := solve bits neighbours law moves.

Lemma checked : check_core bits neighbours law cert moves 2 [] [] = true.
Proof. vm_compute. reflexivity. Qed.

(** The exact curve of the adaptive game. *)
Lemma cert_root : cert 2 [] [] = 
  [(0, 0); (247 # 2000, 119 # 625); (19 # 100, 7 # 25); (229 # 625, 931 # 2000); (1069 # 2000, 396 # 625);
   (18 # 25, 81 # 100); (506 # 625, 1753 # 2000); (1, 1)].
Proof. vm_compute. reflexivity. Qed.

(** At every slope: no adversary does better than the chain [cert 2 [] []]. *)
Theorem adaptive_bound (A : adversary G) phi : is_test A phi -> forall a b, 0 <= a -> 0 <= b ->
  b * probability A 2 init phi 1 - a * probability A 2 init phi 0 <= value (cert 2 [] []) a b.
Proof. apply (check_core_sound bits neighbours law law_nonneg cert moves moves_all 2 checked). Qed.

(** No adaptive adversary, however randomised, exceeds total variation 991/10000. *)
Theorem adaptive_tv (A : adversary G) phi : is_test A phi ->
  Qabs (probability A 2 init phi 1 - probability A 2 init phi 0) <= 991 # 10000.
Proof.
  intros T.
  assert (forall psi, is_test A psi -> probability A 2 init psi 1 - probability A 2 init psi 0 <= 991 # 10000) as H.
  { intros psi Tp. assert (value (cert 2 [] []) 1 1 == 991 # 10000) as E by (vm_compute; reflexivity).
    pose proof (adaptive_bound A psi Tp 1 1). lra. }
  apply Qabs_Qle_condition. split; [|now apply H].
  specialize (H (fun h => 1 - phi h)).
      rewrite !probability_not, !(core_probability_total bits neighbours law law_total A) in H.
  assert (is_test A (fun h => 1 - phi h)) as Tp by (intros h; specialize (T h); lra).
  specialize (H Tp). lra.
Qed.

(** The paper's adversary: challenge (0, 1), then the first release as the common second input. *)
Definition follow_move (h : list (unit * option bool)) : option (bool * bool) :=
  match h with [] => Some (false, true) | (_, Some y) :: _ => Some (y, y) | _ => None end.

Definition follow : adversary G.
Proof.
  apply (Build_adversary G unit (fun _ => [(1, tt)]) (fun h _ => follow_move h)).
  - intros h p [<-|[]]. simpl. lra.
  - intros h. simpl. lra.
Defined.

Definition differ (h : view follow) : Q :=
  match h with [(_, Some y2); (_, Some y1)] => if xorb y1 y2 then 0 else 1 | _ => 0 end.

Theorem adaptive_attained :
  is_test follow differ /\ probability follow 2 init differ 1 - probability follow 2 init differ 0 == 991 # 10000.
Proof.
  split.
  - intros [|[u [y2|]] [|[u' [y1|]] [|? ?]]]; simpl; try destruct (xorb y1 y2); lra.
  - vm_compute. reflexivity.
Qed.

(** Its transcript laws are the paper's table. *)
Example follow_laws :
  map (fun y => (Qred (probability follow 2 init (fun h => match h with
    | [(_, Some y2); (_, Some y1)] => if eqb y1 (fst y) && eqb y2 (snd y) then 1 else 0 | _ => 0 end) 0),
    Qred (probability follow 2 init (fun h => match h with
    | [(_, Some y2); (_, Some y1)] => if eqb y1 (fst y) && eqb y2 (snd y) then 1 else 0 | _ => 0 end) 1)))
    (list_prod bits bits)
  = map (fun q => (Qred (fst q), Qred (snd q)))
    [(2304 # 10000, 2835 # 10000); (896 # 10000, 665 # 10000); (5440 # 10000, 4680 # 10000);
        (1360 # 10000, 1820 # 10000)].
Proof. vm_compute. reflexivity. Qed.

(** No pair of fixed streams exceeds 9/100, and two pairs reach it ([hockey_stick] at (1, 1) is the best test's gain:
    [fixed_best_test]). *)
Theorem fixed_tv x0 x1 : length x0 = 2%nat -> neighbours x0 x1 = true ->
    hockey_stick (fixed bits M x0 x1) 1 1 <= 9 # 100.
Proof.
  intros L N. destruct x0 as [|q0 [|b0 [|? ?]]]; try discriminate L.
  destruct x1 as [|q1 [|b1 [|c1 r]]]; [discriminate N|destruct q0, q1; discriminate N| |].
  - destruct q0, q1, b0, b1; first [discriminate N|clear; apply Qle_bool_iff; vm_compute; reflexivity].
  - destruct q0, q1, b0, b1; discriminate N.
Qed.

Theorem fixed_attained :
  hockey_stick (fixed bits M [false; false] [false; true]) 1 1 == 9 # 100 /\
  hockey_stick (fixed bits M [false; true] [true; true]) 1 1 == 9 # 100.
Proof. split; vm_compute; reflexivity. Qed.

