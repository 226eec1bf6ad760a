(** Comparing curves: a few rays are enough, and one walk over every curve finds all that is needed at them.

    A curve is a list of segments (mass in world 0, mass in world 1), steepest first; its value at (a, b) is what the
    best test makes of it, [hockey_stick].  A sum of scaled curves is convex in (a, b), and the claimed curve is linear
    between the rays that belong to its own segments. *)
From Coq Require Import QArith Qminmax List Lqa Bool.
From Dpcert Require Import Sums Chains PairedSimulation Tensor Envelope.
Import ListNotations.
Open Scope Q_scope.

Definition det (p q : Q * Q) : Q := fst p * snd q - snd p * fst q.

(** The ray at which a segment neither gains nor loses. *)
Definition ray (z : Q * Q) : Q * Q := (snd z, fst z).

Definition add (e z : Q * Q) : Q * Q := (fst e + fst z, snd e + snd z).

(** Segments in the quadrant whose rays turn from [p] on. *)
Fixpoint falling (p : Q * Q) (S : pairs) : Prop :=
  match S with
  | [] => True
  | z :: r => 0 <= fst z /\ 0 <= snd z /\ 0 < fst z + snd z /\ 0 <= det p (ray z) /\ falling (ray z) r
  end.

Lemma falling_nonneg : forall S p, falling p S -> nonneg S.
Proof.
  induction S as [|z S IH]; intros p F y; [easy|]. destruct F as (Z0 & Z1 & _ & _ & F). intros [<-|I]; auto.
  exact (IH _ F y I).
Qed.

(** ** The rays of the claimed curve are enough *)

Lemma plus_sublinear x y u v : 0 <= x -> 0 <= y -> plus (x * u + y * v) <= x * plus u + y * plus v.
Proof.
  intros X Y. pose proof (plus_nonneg u). pose proof (plus_nonneg v). pose proof (plus_above u).
      pose proof (plus_above v).
  apply plus_least; nra.
Qed.

Lemma hockey_stick_sublinear K x y a b a' b' : 0 <= x -> 0 <= y ->
  hockey_stick K (x * a + y * a') (x * b + y * b') <= x * hockey_stick K a b + y * hockey_stick K a' b'.
Proof.
  intros X Y. unfold hockey_stick. rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros z _.
  eapply Qle_trans; [|now apply plus_sublinear]. apply Qle_lteq. right. apply plus_compat. lra.
Qed.

Lemma scaled_le c x y : 0 < c -> c * x <= c * y -> x <= y.
Proof. intros C H. apply Qmult_lt_0_le_reg_r with (z := c); [exact C|]. lra. Qed.

(** A point between two rays at which a line is not exceeded. *)
Lemma between K e p q a b :
  0 <= det p q -> 0 <= det p (a, b) -> 0 < det (a, b) q -> 0 <= fst p -> 0 <= snd p -> 0 < fst p + snd p ->
  0 <= fst q -> 0 <= snd q ->
  hockey_stick K (fst p) (snd p) <= line e (fst p) (snd p) ->
      hockey_stick K (fst q) (snd q) <= line e (fst q) (snd q) ->
  hockey_stick K a b <= line e a b.
Proof.
  destruct p as [pa pb], q as [qa qb]. unfold det; cbn [fst snd]. intros D Dp Dq P0 P1 P Q0 Q1 Hp Hq.
  assert (0 < pa * qb - pb * qa) as D'.
  { destruct (Qlt_le_dec 0 (pa * qb - pb * qa)) as [X|X]; [exact X|exfalso].
    assert (pa * qb == pb * qa) as E by lra.
    destruct (Qlt_le_dec 0 pa) as [Pa|Pa].
    - assert (0 < pa * (a * qb - b * qa)) by nra.
      assert (pa * (a * qb - b * qa) == - (qa * (pa * b - pb * a))) as F.
      { transitivity (a * (pa * qb) - b * qa * pa); [ring|]. rewrite E. ring. }
      assert (0 <= qa * (pa * b - pb * a)) by nra. lra.
    - assert (pa == 0) as Z by lra. rewrite Z in *. assert (0 < pb) by lra.
      assert (qa == 0) as Zq by nra. rewrite Zq in *. assert (0 < a * qb) by lra. assert (0 < a) by nra. nra. }
  apply (scaled_le (pa * qb - pb * qa)); [exact D'|].
  rewrite <- hockey_stick_scale by lra.
  rewrite (hockey_stick_compat K _ ((a * qb - b * qa) * pa + (pa * b - pb * a) * qa)
                               _ ((a * qb - b * qa) * pb + (pa * b - pb * a) * qb)) by ring.
  eapply Qle_trans; [apply hockey_stick_sublinear; lra|].
  setoid_replace ((pa * qb - pb * qa) * line e a b)
    with ((a * qb - b * qa) * line e pa pb + (pa * b - pb * a) * line e qa qb) by (unfold line; ring).
  nra.
Qed.

(** At the ray of every segment, [K] is at most what the segments before it gain. *)
Fixpoint compared (K : pairs) (e : Q * Q) (S : pairs) : Prop :=
  match S with
  | [] => hockey_stick K 0 1 <= line e 0 1
  | z :: r => hockey_stick K (snd z) (fst z) <= line e (snd z) (fst z) /\ compared K (add e z) r
  end.

Lemma cone K : forall S e p a b, falling p S -> compared K e S ->
  0 <= fst p -> 0 <= snd p -> 0 < fst p + snd p ->
  hockey_stick K (fst p) (snd p) <= line e (fst p) (snd p) ->
  0 <= a -> 0 <= b -> 0 <= det p (a, b) ->
  hockey_stick K a b <= line e a b + hockey_stick S a b.
Proof.
  induction S as [|z S IH]; intros e p a b F C P0 P1 P Hp A B D.
  - change (hockey_stick [] a b) with 0. rewrite Qplus_0_r. simpl in C.
    destruct (Qlt_le_dec 0 a) as [Pa|Pa].
    + apply (between K e p (0, 1)); trivial; unfold det in *; simpl in *; try lra.
    + assert (a == 0) as Z by lra.
      rewrite (hockey_stick_compat K a (b * 0) b (b * 1)), hockey_stick_scale by lra.
      setoid_replace (line e a b) with (b * line e 0 1) by (unfold line; rewrite Z; ring). nra.
  - destruct F as (F0 & F1 & Fz & Dz & F). destruct C as [Cz C]. rewrite hockey_stick_cons.
    destruct (Qlt_le_dec 0 (det (a, b) (ray z))) as [X|X].
    + assert (hockey_stick K a b <= line e a b) as H by (apply (between K e p (ray z)); trivial).
      pose proof (plus_nonneg (line z a b)). pose proof (hockey_stick_nonneg S a b). lra.
    + assert (hockey_stick K a b <= line (add e z) a b + hockey_stick S a b) as H.
      { apply (IH (add e z) (ray z)); trivial; unfold ray; simpl; try lra.
        - eapply Qle_trans; [exact Cz|]. unfold line, add. simpl. lra.
        - unfold det, ray in *. simpl in *. lra. }
      pose proof (plus_above (line z a b)). unfold line, add in *. simpl in *. lra.
Qed.

Lemma rays_suffice K S : nonneg K -> falling (1, 0) S -> compared K (0, 0) S -> at_most K S.
Proof.
  intros N F C a b A B.
  assert (hockey_stick K 1 0 == 0) as Z.
  { unfold hockey_stick. rewrite <- (sum_zero K). apply sum_ext. intros z I. destruct (N z I).
    unfold plus. apply Q.max_l. lra. }
  eapply Qle_trans; [apply (cone K S (0, 0) (1, 0) a b F C); simpl; try lra|].
  - rewrite Z. unfold line. simpl. lra.
  - unfold det. simpl. lra.
  - unfold line. simpl. lra.
Qed.

(** ** One walk finds the values at all rays *)

Fixpoint advance (a b : Q) (S : pairs) (e : Q * Q) : pairs * (Q * Q) :=
  match S with
  | [] => (S, e)
  | z :: r => if Qle_bool (b * snd z) (a * fst z) then (S, e) else advance a b r (add e z)
  end.

(** The values at rays that turn one way, of a curve scaled by [w] in either world. *)
Fixpoint along (w : Q * Q) (rays : list (Q * Q)) (S : pairs) (e : Q * Q) : list Q :=
  match rays with
  | [] => []
  | r :: rs =>
    let a := fst r * fst w in let b := snd r * snd w in
    let (S', e') := advance a b S e in
    b * snd e' - a * fst e' :: along w rs S' e'
  end.

Fixpoint turning (p : Q * Q) (rays : list (Q * Q)) : Prop :=
  match rays with
  | [] => True
  | r :: rs => 0 <= fst r /\ 0 <= snd r /\ 0 < fst r + snd r /\ 0 <= det p r /\ turning r rs
  end.

Lemma falling_rest p z S a b : falling p (z :: S) -> 0 <= a -> 0 <= b -> b * snd z <= a * fst z ->
  forall w, In w (z :: S) -> b * snd w <= a * fst w.
Proof.
  revert p z. induction S as [|y S IH]; intros p z F A B H w [<-|I]; trivial; [destruct I|].
  destruct F as (Z0 & Z1 & Zp & _ & F). pose proof F as (Y0 & Y1 & _ & D & _).
  unfold det, ray in D. simpl in D.
  apply (IH (ray z) y F A B); [|exact I].
  destruct (Qlt_le_dec 0 (fst z)) as [P|P].
  - apply (scaled_le (fst z)); [exact P|].
    assert (fst z * (b * snd y) <= b * (snd z * fst y)) by nra.
    assert (b * snd z * fst y <= a * fst z * fst y) by nra. nra.
  - assert (fst z == 0) as E by lra. rewrite E in *. assert (0 < snd z) by lra. assert (b == 0) as Eb by nra.
    rewrite Eb. nra.
Qed.

Lemma hockey_stick_none S a b : (forall w, In w S -> b * snd w <= a * fst w) -> hockey_stick S a b == 0.
Proof.
  intros H. unfold hockey_stick. rewrite <- (sum_zero S). apply sum_ext. intros w I. specialize (H w I).
  unfold plus. apply Q.max_l. lra.
Qed.

Definition mass (S : pairs) : Q * Q := (sum fst S, sum snd S).

Lemma advance_spec a b S : forall p e, falling p S -> 0 <= a -> 0 <= b ->
  exists T S', S = T ++ S' /\ (exists p', falling p' S') /\ fst (advance a b S e) = S' /\
  (forall w, In w T -> a * fst w <= b * snd w) /\ (forall w, In w S' -> b * snd w <= a * fst w) /\
  fst (snd (advance a b S e)) == fst e + sum fst T /\ snd (snd (advance a b S e)) == snd e + sum snd T.
Proof.
  induction S as [|z S IH]; intros p e F A B.
  - exists [], []. simpl. split; [reflexivity|]. split; [now exists p|]. repeat split; try easy; lra.
  - cbn [advance]. destruct (Qle_bool (b * snd z) (a * fst z)) eqn:E.
    + apply Qle_bool_iff in E. exists [], (z :: S). split; [reflexivity|]. split; [now exists p|].
      split; [reflexivity|]. split; [easy|]. split; [now apply (falling_rest p z S a b F)|]. simpl. split; lra.
    + assert (a * fst z <= b * snd z) as H.
      { apply Qlt_le_weak, Qnot_le_lt. intros X. apply Qle_bool_iff in X. congruence. }
      destruct F as (_ & _ & _ & _ & F).
      destruct (IH (ray z) (add e z) F A B) as (T & S' & -> & F' & Fs & Up & Down & E0 & E1).
      exists (z :: T), S'. simpl app. split; [reflexivity|]. split; [exact F'|]. split; [exact Fs|].
      split; [intros w [<-|I]; auto|]. split; [exact Down|].
      unfold add in *. cbn [fst snd sum] in *. split; [rewrite E0|rewrite E1]; lra.
Qed.

Lemma hockey_stick_app S T a b : hockey_stick (S ++ T) a b == hockey_stick S a b + hockey_stick T a b.
Proof. unfold hockey_stick. apply sum_app. Qed.

(** Whatever gained at a ray gains at those after it. *)
Lemma gains_on (x0 x1 : Q) (r s : Q * Q) : 0 <= x0 -> 0 <= x1 ->
  0 <= fst r -> 0 <= snd r -> 0 < fst r + snd r -> 0 <= fst s -> 0 <= snd s -> 0 <= det r s ->
  fst r * x0 <= snd r * x1 -> fst s * x0 <= snd s * x1.
Proof.
  destruct r as [a b], s as [a' b']. unfold det. simpl. intros X0 X1 A B P A' B' D H.
  destruct (Qlt_le_dec 0 a) as [Pa|Pa].
  - apply (scaled_le a); [exact Pa|].
    assert (a' * (a * x0) <= a' * (b * x1)) by nra. assert (x1 * (b * a') <= x1 * (a * b')) by nra. nra.
  - assert (a == 0) as E by lra. rewrite E in *. assert (0 < b) by lra. assert (a' == 0) as E' by nra.
    rewrite E'. nra.
Qed.

Lemma along_spec w : 0 <= fst w -> 0 <= snd w -> forall rays p q T S e,
  turning p rays -> falling q S -> nonneg T -> fst e == sum fst T -> snd e == sum snd T ->
  0 <= fst p -> 0 <= snd p -> 0 < fst p + snd p ->
  (forall z, In z T -> fst p * (fst w * fst z) <= snd p * (snd w * snd z)) ->
  Forall2 Qeq (along w rays S e) (map (fun r => hockey_stick (T ++ S) (fst r * fst w) (snd r * snd w)) rays).
Proof.
  intros W0 W1. induction rays as [|r rays IH]; intros p q T S e R F N E0 E1 P0 P1 P Up; [constructor|].
  destruct R as (R0 & R1 & Rp & D & R). cbn [along map].
  assert (0 <= fst r * fst w) as A by nra. assert (0 <= snd r * snd w) as B by nra.
  destruct (advance_spec (fst r * fst w) (snd r * snd w) S q e F A B)
    as (T' & S' & ES & (q' & F') & Es & Up' & Down & X0 & X1).
  destruct (advance (fst r * fst w) (snd r * snd w) S e) as [S'' e'] eqn:Adv. simpl in Es, X0, X1. subst S''.
  assert (forall z, In z T -> fst r * (fst w * fst z) <= snd r * (snd w * snd z)) as UpT.
  { intros z I. destruct (N z I). apply (gains_on _ _ p r); trivial; try nra. now apply Up. }
  assert (nonneg S) as NS by exact (falling_nonneg S q F).
  assert (nonneg (T ++ T')) as N'.
  { intros z I. apply in_app_or in I as [I|I]; [auto|]. apply NS. rewrite ES. apply in_or_app. now left. }
  constructor.
  - assert (hockey_stick (T ++ S) (fst r * fst w) (snd r * snd w)
            == hockey_stick (T ++ T') (fst r * fst w) (snd r * snd w)) as ->.
    { rewrite ES, app_assoc, hockey_stick_app, (hockey_stick_none S') by exact Down. lra. }
    rewrite hockey_stick_all.
    + unfold line. simpl. rewrite X0, X1, !sum_app, E0, E1. lra.
    + intros z I. unfold line. apply in_app_or in I as [I|I].
      * specialize (UpT z I). lra.
      * specialize (Up' z I). lra.
  - assert (map (fun r0 => hockey_stick (T ++ S) (fst r0 * fst w) (snd r0 * snd w)) rays
          = map (fun r0 => hockey_stick ((T ++ T') ++ S') (fst r0 * fst w) (snd r0 * snd w)) rays) as ->.
    { rewrite ES. now rewrite app_assoc. }
    apply (IH r q' (T ++ T') S' e' R F' N'); trivial.
    + rewrite X0, sum_app, E0. lra.
    + rewrite X1, sum_app, E1. lra.
    + intros z I. apply in_app_or in I as [I|I]; [now apply UpT|]. specialize (Up' z I). lra.
Qed.

Corollary along_whole w rays S : 0 <= fst w -> 0 <= snd w -> turning (1, 0) rays -> falling (1, 0) S ->
  Forall2 Qeq (along w rays S (0, 0)) (map (fun r => hockey_stick S (fst r * fst w) (snd r * snd w)) rays).
Proof.
  intros W0 W1 R F. apply (along_spec w W0 W1 rays (1, 0) (1, 0) [] S); trivial; simpl; try lra; intros z [].
Qed.

(** ** The check of one sum of curves *)

(** A curve with what it is scaled by. *)
Definition part : Type := (Q * Q) * pairs.

Definition scaled (p : part) : pairs := map (fun z => (fst (fst p) * fst z, snd (fst p) * snd z)) (snd p).

Definition all_of (parts : list part) : pairs := flat_map scaled parts.

Definition add_all (l l' : list Q) : list Q := map (fun v => fst v + snd v) (combine l l').

Definition values (rays : list (Q * Q)) (parts : list part) : list Q :=
  fold_right (fun p l => add_all (along (fst p) rays (snd p) (0, 0)) l) (map (fun _ => 0) rays) parts.

Fixpoint allowed (S : pairs) (e : Q * Q) (found : list Q) : bool :=
  match S, found with
  | [], [] => true
  | z :: r, v :: vs => Qle_bool v (line e (snd z) (fst z)) && allowed r (add e z) vs
  | _, _ => false
  end.

(** Whether the scaled curves of the parts are together at most the curve [own]. *)
Definition bounds (own : pairs) (parts : list part) : bool :=
  allowed own (0, 0) (values (map ray own) parts)
  && Qle_bool (sum (fun p : part => snd (fst p) * sum snd (snd p)) parts) (sum snd own).

Lemma scaled_value p a b : hockey_stick (scaled p) a b == hockey_stick (snd p) (a * fst (fst p)) (b * snd (fst p)).
Proof.
  unfold scaled, hockey_stick. rewrite sum_map. apply sum_ext. intros z _. simpl. apply plus_compat. lra.
Qed.

Lemma values_spec rays parts : turning (1, 0) rays ->
  (forall p, In p parts -> 0 <= fst (fst p) /\ 0 <= snd (fst p) /\ falling (1, 0) (snd p)) ->
  Forall2 Qeq (values rays parts) (map (fun r => hockey_stick (all_of parts) (fst r) (snd r)) rays).
Proof.
  intros R. induction parts as [|p parts IH]; intros H.
  - cbn [values fold_right all_of flat_map]. clear. induction rays as [|r rays IH]; constructor; [reflexivity|exact IH].
  - cbn [values fold_right all_of flat_map]. destruct (H p) as (W0 & W1 & F); [now left|].
    pose proof (along_whole (fst p) rays (snd p) W0 W1 R F) as One.
    assert (forall q, In q parts -> 0 <= fst (fst q) /\ 0 <= snd (fst q) /\ falling (1, 0) (snd q)) as H'
      by (intros; apply H; now right).
    specialize (IH H'). fold (values rays parts). fold (all_of parts). revert One IH.
    generalize (along (fst p) rays (snd p) (0, 0)) (values rays parts). clear. induction rays as [|r rays IH].
    + intros l l' A B. inversion A; subst. constructor.
    + intros l l' A B. inversion A as [|x ? xs ? Hx Hxs]; subst. inversion B as [|y ? ys ? Hy Hys]; subst.
      unfold add_all. simpl. constructor; [|now apply IH].
      rewrite hockey_stick_app, scaled_value, Hx, Hy. reflexivity.
Qed.

Lemma allowed_spec K : forall S e found,
  Forall2 Qeq found (map (fun r => hockey_stick K (fst r) (snd r)) (map ray S)) ->
  allowed S e found = true -> hockey_stick K 0 1 <= line (add e (mass S)) 0 1 -> compared K e S.
Proof.
  induction S as [|z S IH]; intros e found V H T.
  - simpl. eapply Qle_trans; [exact T|]. unfold line, add, mass. simpl. lra.
  - inversion V as [|v ? vs ? Hv Hvs]; subst. simpl in H. apply andb_true_iff in H as [Le H].
    apply Qle_bool_iff in Le. simpl. split; [|apply (IH _ vs Hvs H)].
    + simpl in Hv. now rewrite <- Hv.
    + eapply Qle_trans; [exact T|]. unfold line, add, mass. simpl. lra.
Qed.

Lemma falling_turning : forall S p, falling p S -> turning p (map ray S).
Proof.
  induction S as [|z S IH]; intros p; simpl; trivial. intros (Z0 & Z1 & Zp & D & F).
  repeat split; trivial; [lra|]. now apply IH.
Qed.

Theorem bounds_sound own parts : falling (1, 0) own ->
  (forall p, In p parts -> 0 <= fst (fst p) /\ 0 <= snd (fst p) /\ falling (1, 0) (snd p)) ->
  bounds own parts = true -> at_most (all_of parts) own.
Proof.
  intros F P H. apply andb_true_iff in H as [H T]. apply Qle_bool_iff in T.
  assert (nonneg (all_of parts)) as N.
  { intros z I. apply in_flat_map in I as [p [Ip I]]. apply in_map_iff in I as [y [<- Iy]].
    destruct (P p Ip) as (W0 & W1 & Fp). destruct (falling_nonneg _ _ Fp y Iy). simpl. nra. }
  apply rays_suffice; trivial.
  apply (allowed_spec (all_of parts) own (0, 0) (values (map ray own) parts)); trivial.
  - apply values_spec; trivial. now apply falling_turning.
  - assert (hockey_stick (all_of parts) 0 1 == sum (fun p : part => snd (fst p) * sum snd (snd p)) parts) as ->.
    { rewrite hockey_stick_all.
      - unfold line, all_of. simpl. rewrite !sum_flat_map.
        transitivity (sum (fun p => sum snd (scaled p)) parts); [lra|]. apply sum_ext. intros p _.
        unfold scaled. rewrite sum_map. simpl. now rewrite sum_scale.
      - intros z I. destruct (N z I). unfold line. lra. }
    unfold line, add, mass. simpl. lra.
Qed.
